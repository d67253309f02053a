import 'server-only';
import { z } from 'zod';
import { principalOf } from '@/lib/access/on-behalf-of';
import { type Actor, ownerOf } from '@/lib/actor';
import { approvalRule } from '@/lib/command/approval-rule';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { may, type Permission } from '@/lib/permissions';

/** What every request for approval stores, of flags too. Times are epoch ms. */
export const requestFields = {
  id: z.string(),
  by: z.object({ kind: z.enum(['user', 'token']), id: z.string(), name: z.string() }),
  /** Id of the requesting user, also behind an API token; null for a token of the configuration. */
  owner: z.string().nullish(),
  requestedAt: z.number(),
  /** Missing in requests of flags by an earlier version, which do not expire. */
  expiresAt: z.number().nullish(),
  reason: z.string().nullable(),
  /** Why it can no longer be approved. */
  why: z.string().nullable(),
};

export type Requested = z.output<z.ZodObject<typeof requestFields>>;

/** The fields of a new request. Throws 403 for an actor whose access cannot be checked later. */
export const newRequest = (ctx: WriteContext): Requested & { expiresAt: number } => {
  const by = principalOf(ctx.actor);
  if (!by) throw new Problem('forbidden', 'Only a user or an API token can request a change.');
  const requestedAt = ctx.now();
  const { expiresMs } = approvalRule(ctx.connection);
  return {
    id: newId(),
    by,
    owner: ownerOf(ctx.actor),
    requestedAt,
    expiresAt: requestedAt + expiresMs,
    reason: ctx.reason,
    why: null,
  };
};

export const isExpired = ({ expiresAt }: Pick<Requested, 'expiresAt'>, now: number): boolean =>
  typeof expiresAt === 'number' && expiresAt <= now;

/** Whether the actor made the request, also through one of their API tokens. */
export const isBy = ({ by, owner }: Requested, actor: Actor): boolean => {
  const user = principalOf(actor);
  const requester = owner ?? (by.kind === 'user' ? by.id : null);
  return (
    (user !== null && user.kind === by.kind && user.id === by.id) ||
    (requester !== null && requester === ownerOf(actor))
  );
};

/** Whether the actor may decide on it. Tokens of the configuration, and tokens made with them, belong to no user. */
export const mayDecide = (request: Requested, actor: Actor, permission: Permission): boolean =>
  actor.role !== null && may(actor.role, permission) && ownerOf(actor) !== null && !isBy(request, actor);

/** 403 for an actor who may not approve it, whatever their role. */
export const refuseApprover = (request: Requested, actor: Actor): void => {
  if (ownerOf(actor) === null)
    throw new Problem('forbidden', 'This API token belongs to no user, so it cannot approve.');
  if (isBy(request, actor))
    throw new Problem('forbidden', 'You requested this change: someone else must approve it.');
};

/** 403 for the requester, who withdraws instead. */
export const refuseOwnDecline = (request: Requested, actor: Actor): void => {
  if (isBy(request, actor)) throw new Problem('forbidden', 'You requested this change: withdraw it instead.');
};

/** 403 for anyone but the requester. */
export const refuseOthersWithdrawal = (request: Requested, actor: Actor): void => {
  if (!isBy(request, actor))
    throw new Problem('forbidden', `${request.by.name} requested this change: an approver can decline it.`);
};

/** Stored requests in the order of a list: oldest first. */
export const byAge = (a: Requested, b: Requested): number => a.requestedAt - b.requestedAt;

/** What a caller who reads requests needs. */
export type RequestReader = Pick<ReadContext, 'connection' | 'store' | 'actor' | 'now'>;
