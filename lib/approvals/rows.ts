import 'server-only';
import { type ChangeRequest, mayDecideOn, permissionOf, stateNow } from '@/lib/approval-requests/changes';
import { isBy, isExpired, mayDecide } from '@/lib/approval-requests/record';
import type { ReadContext } from '@/lib/command/context';
import type { StoredRequest } from '@/lib/flags/requests';
import { may } from '@/lib/permissions';
import { iso, isoOrNull } from '@/lib/time';
import type { ApprovalRow } from './schema';

const IN_DOUBT = 'Its outcome is unknown: see its audit entry, and look at what it changes.';

/** A request as the API returns it to this caller. */
export const rowOf = (ctx: ReadContext, request: ChangeRequest): ApprovalRow => {
  const state = stateNow(request, ctx.now());
  return {
    id: request.id,
    operation: request.operation,
    target: request.target,
    by: request.by.name,
    requestedAt: iso(request.requestedAt),
    expiresAt: iso(request.expiresAt),
    reason: request.reason,
    state,
    why: request.why ?? (state === 'inDoubt' ? IN_DOUBT : null),
    was: request.was,
    input: request.input,
    own: isBy(request, ctx.actor),
    mayDecide: mayDecideOn(request, ctx),
  };
};

/** A request of a flag's change as one of these. */
export const rowOfFlag = (ctx: ReadContext, request: StoredRequest): ApprovalRow => ({
  id: request.id,
  operation: `flags.${request.action}`,
  target: request.name,
  by: request.by.name,
  requestedAt: iso(request.requestedAt),
  expiresAt: isoOrNull(request.expiresAt),
  reason: request.reason,
  state: isExpired(request, ctx.now()) ? 'expired' : request.state,
  why: request.why,
  was: { count: 1, facts: { from: request.from, to: request.to } },
  input: { enabled: request.enabled, at: isoOrNull(request.at) },
  own: isBy(request, ctx.actor),
  mayDecide: mayDecide(request, ctx.actor, 'flags:approve'),
});

/** Whether the caller may see a request: their own, and those for changes that they may make. */
export const isShown = ({ actor: { role } }: ReadContext, { own, operation }: ApprovalRow): boolean => {
  if (own) return true;
  const permission = operation.startsWith('flags.') ? 'flags:toggle' : permissionOf(operation);
  return permission !== null && role !== null && may(role, permission);
};
