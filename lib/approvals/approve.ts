import 'server-only';
import { actorLabel } from '@/lib/actor';
import {
  type ChangeRequest,
  decideOn,
  removeChangeInput,
  removeChangeRequest,
  stateNow,
  storeChangeRequest,
} from '@/lib/approval-requests/changes';
import { refuseApprover } from '@/lib/approval-requests/record';
import type { Approval } from '@/lib/command/approval';
import { approvalRule } from '@/lib/command/approval-rule';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { approveFlagChange } from '@/lib/flags/approve';
import type { StoredRequest } from '@/lib/flags/requests';
import { isInDoubt } from '@/lib/redis/failure';
import { iso } from '@/lib/time';
import { conflictOf, differenceOf, type Prepared, prepare } from './previews';
import { findFlagRequest } from './reads';
import { rowOfFlag } from './rows';
import { approvalContracts, type ShownImpact } from './schema';
import { requestLine } from './target';

type Approved = Omit<Result<typeof approvalContracts.approve>, 'auditId' | 'undoUntil'>;

const refuse = (request: ChangeRequest, ctx: WriteContext): void => {
  refuseApprover(request, ctx.actor);
  const state = stateNow(request, ctx.now());
  if (state === 'expired')
    throw new Problem(
      'expired',
      `This request expired at ${iso(request.expiresAt)}. Ask for approval again.`,
    );
  if (state === 'inDoubt')
    throw new Problem('conflict', 'It was approved before, and its outcome is unknown: see the audit log.');
  if (state !== 'pending')
    throw new Problem('conflict', `This request is ${state}: ${request.why ?? 'it is being decided'}`);
};

const approvalOf = (ctx: WriteContext, { id, by, reason }: ChangeRequest): Approval => ({
  request: id,
  requestedBy: by.name,
  requestReason: reason,
  approvedBy: actorLabel(ctx.actor),
  approvalReason: ctx.reason,
});

const answerOf = (
  ctx: WriteContext,
  { id, operation, target, was }: ChangeRequest,
  decided: Pick<Approved, 'state' | 'why' | 'now' | 'change'>,
): Approved => ({ id, operation, target, was, bound: approvalRule(ctx.connection).bound, ...decided });

const suspend = async (
  ctx: WriteContext,
  request: ChangeRequest,
  why: string,
  now: ShownImpact | null,
): Promise<Approved> => {
  await storeChangeRequest(ctx, { ...request, state: 'suspended', why });
  await removeChangeInput(ctx, request.id);
  return answerOf(ctx, request, { state: 'suspended', why, now, change: null });
};

const IN_DOUBT = 'No reply came to the change: it may or may not have been applied.';
const BROKE = 'The change failed. Its audit entry says why.';

/** The state of a request whose change was not applied completely. */
const afterFailure = (request: ChangeRequest, error: unknown): ChangeRequest => {
  if (isInDoubt(error)) return { ...request, state: 'inDoubt', why: IN_DOUBT };
  if (error instanceof Problem) return request;
  return { ...request, state: 'inDoubt', why: BROKE };
};

interface Made {
  auditId: string;
  jobId?: string;
  undoUntil?: string | null;
}

/** Makes the change under the approver's name. Stored as executing before, so that a crash leaves it in doubt. */
const execute = async (
  ctx: WriteContext,
  request: ChangeRequest,
  { command, raw, now }: Prepared,
): Promise<Approved> => {
  await storeChangeRequest(ctx, { ...request, state: 'executing', executingSince: ctx.now() });
  let made: Made;
  try {
    const approval = approvalOf(ctx, request);
    made = (await runCommand(command, { ...ctx, raw, approval })) as Made;
  } catch (error) {
    const why = conflictOf(error);
    if (why !== null) return suspend(ctx, request, why, now);
    // If this fails too, the request stays in doubt.
    await storeChangeRequest(ctx, afterFailure(request, error)).catch(() => undefined);
    throw error;
  }
  await removeChangeRequest(ctx, request.id).catch(() => undefined);
  const { auditId, jobId = null, undoUntil = null } = made;
  const state = jobId === null ? ('applied' as const) : ('started' as const);
  return answerOf(ctx, request, { state, why: null, now, change: { auditId, jobId, undoUntil } });
};

const decide = async (ctx: WriteContext, request: ChangeRequest): Promise<Approved> => {
  refuse(request, ctx);
  let prepared: Prepared;
  try {
    prepared = await prepare(ctx, request);
  } catch (error) {
    const why = conflictOf(error);
    if (why === null) throw error;
    return suspend(ctx, request, why, null);
  }
  const difference = differenceOf(ctx, request.was, prepared.now);
  if (difference !== null) return suspend(ctx, request, difference, prepared.now);
  return execute(ctx, request, prepared);
};

/** Approves a request of a flag's change by its own operation, which histories of flags read. */
const approveFlag = async (ctx: WriteContext, request: StoredRequest): Promise<Approved> => {
  const raw = { id: request.id, ...(ctx.reason && { reason: ctx.reason }) };
  const { state, why, auditId } = await runCommand(approveFlagChange, { ...ctx, raw });
  const { id, operation, target, was } = rowOfFlag(ctx, request);
  const isMade = state !== 'suspended';
  return {
    id,
    operation,
    target,
    was,
    now: null,
    bound: 0,
    state: isMade ? 'applied' : 'suspended',
    why,
    change: isMade ? { auditId, jobId: null, undoUntil: null } : null,
  };
};

/** approvals.approve: of two concurrent approvals exactly one succeeds. */
export const approveRequest = defineCommand({
  contract: approvalContracts.approve,
  target: requestLine,
  redact: ({ id }) => ({ id }),
  needsConfirmation: () => true,
  run: async (ctx, { id }) => {
    const flag = await findFlagRequest(ctx, id);
    const result = flag
      ? await approveFlag(ctx, flag)
      : await decideOn(ctx, id, (request) => decide(ctx, request));
    const { operation, state, why, change } = result;
    return { result, before: null, after: { operation, state, why, change: change?.auditId ?? null } };
  },
});
