import 'server-only';
import { type Principal, roleNow } from '@/lib/access/on-behalf-of';
import type { Actor } from '@/lib/actor';
import { type ChangeRequest, readChangeInput } from '@/lib/approval-requests/changes';
import { impactOf } from '@/lib/command/approval';
import { approvalRule } from '@/lib/command/approval-rule';
import { type ReadContext, readContext } from '@/lib/command/context';
import type { Command } from '@/lib/command/define';
import { approvableCommand } from '@/lib/command/registry';
import { checkCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { allows, may, type Role } from '@/lib/permissions';
import type { ShownImpact } from './schema';

/** A request's change, as its approver would make it now. */
export interface Prepared {
  command: Command;
  raw: Record<string, unknown>;
  now: ShownImpact;
}

/** Refusals because of what the request asks for, not because of who approves it or of a failure. */
const SUSPENDS = [400, 404, 409, 410, 412, 413];

/** The reason a change can no longer be made; null for an error of another kind. */
export const conflictOf = (error: unknown): string | null =>
  error instanceof Problem && SUSPENDS.includes(error.status) ? error.message : null;

const actorOf = ({ kind, id, name }: Principal, owner: string | null | undefined, role: Role): Actor =>
  kind === 'user' ? { kind, id, email: name, name, role } : { kind, id, name, role, ...(owner && { owner }) };

/** Throws 409 unless the requester may still make the change. */
const requireRequester = async (
  ctx: ReadContext,
  command: Command,
  { by, owner }: ChangeRequest,
  input: never,
): Promise<void> => {
  const lost = new Problem('conflict', `${by.name} may no longer make this change.`);
  const role = await roleNow(ctx.store, by, ctx.now());
  if (role === null || !allows(role, command.contract.permission)) throw lost;
  const actor = actorOf(by, owner, role);
  const asRequester = readContext({ actor, requestId: ctx.requestId, isApproved: true }, ctx.connection);
  const needed = (await command.needs?.(asRequester, input)) ?? [];
  if (!needed.every((permission) => may(role, permission))) throw lost;
};

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

/** Why a change is not the one asked for: it would touch too many or too few things. Null within the bound. */
export const differenceOf = (ctx: ReadContext, was: ShownImpact, now: ShownImpact): string | null => {
  const { bound } = approvalRule(ctx.connection);
  const areKnown = was.count !== null && now.count !== null;
  if (was.count === now.count || (areKnown && Math.abs(now.count! - was.count!) <= bound * was.count!))
    return null;
  const [before, after] = [was, now].map(({ count }) => (count === null ? 'an unknown number of' : count));
  return `It would now touch ${after} things instead of ${before}; a difference of ${percent(bound)} is allowed.`;
};

/** What a request would touch if this caller approved it now. */
export const prepare = async (ctx: ReadContext, request: ChangeRequest): Promise<Prepared> => {
  const command = approvableCommand(request.operation);
  if (!command) throw new Problem('conflict', `This version has no operation ${request.operation}.`);
  const stored = await readChangeInput(ctx, request);
  if (!stored) throw new Problem('expired', 'The input of this request expired, or was altered.');
  const raw = { ...stored, ...(request.reason && { reason: request.reason }) };
  const checked = await checkCommand(command, { ...ctx, raw });
  await requireRequester(ctx, command, request, checked.input as never);
  const now = await impactOf(command, checked.ctx, checked.input as never);
  return { command, raw, now };
};

/** What a request would touch now, and why an approval would suspend it. */
export const previewNow = async (
  ctx: ReadContext,
  request: ChangeRequest,
): Promise<{ now: ShownImpact | null; obstacle: string | null }> => {
  try {
    const { now } = await prepare(ctx, request);
    return { now, obstacle: differenceOf(ctx, request.was, now) };
  } catch (error) {
    // Whoever may not approve it still sees why.
    const isRefused = error instanceof Problem && (error.status === 403 || error.status === 423);
    const obstacle = isRefused ? error.message : conflictOf(error);
    if (obstacle === null) throw error;
    return { now: null, obstacle };
  }
};
