import 'server-only';
import { roleNow } from '@/lib/access/on-behalf-of';
import { type Actor, actorLabel } from '@/lib/actor';
import { refuseApprover } from '@/lib/approval-requests/record';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { may } from '@/lib/permissions';
import { iso } from '@/lib/time';
import { createFlag, deleteFlag, newText, switchFlag } from './change';
import { flagMark } from './chart-mark';
import { decideOnRequest, requestTarget } from './request-commands';
import { removeRequest, type StoredRequest, storeRequest } from './requests';
import { scheduleSwitch } from './schedule';
import { cancelScheduled, NOT_SCHEDULED } from './scheduled-changes';
import { flagContracts } from './schema';

interface Decision {
  state: 'applied' | 'scheduled' | 'suspended';
  why: string | null;
  etag: string | null;
  before: AuditJson;
  after: Record<string, AuditJson>;
}

/** Makes the change now, through the same code as a direct change. */
const apply = async (ctx: WriteContext, open: StoredRequest): Promise<Decision> => {
  const { name, action, to } = open;
  const enabled = open.enabled ?? false;
  const etag = open.etag ?? '';
  const by = `${open.by.name}, approved by ${actorLabel(ctx.actor)}`;
  const applied = { state: 'applied', why: null } as const;
  if (action === 'delete') {
    const done = await deleteFlag(ctx, { name, etag });
    return { ...applied, etag: null, before: done.before, after: done.after };
  }
  if (action === 'create') {
    const raw = to ?? (await newText(ctx, enabled));
    const done = await createFlag(ctx, { name, enabled, raw, by });
    return { ...applied, etag: done.result.etag, before: null, after: done.after };
  }
  const done = await switchFlag(ctx, { name, enabled, etag, by });
  return { ...applied, etag: done.result.etag, before: done.before, after: done.after };
};

const applyLater = async (ctx: WriteContext, open: StoredRequest, at: number): Promise<Decision> => {
  const { name, enabled, etag } = open;
  const change = { name, enabled: enabled ?? false, etag: etag ?? '', at: iso(at) };
  const scheduled = await scheduleSwitch(ctx, change, {
    requester: open.by,
    approver: actorLabel(ctx.actor),
  });
  return {
    state: 'scheduled',
    why: null,
    etag,
    before: { raw: open.from },
    after: { planned: scheduled.id, at: scheduled.at, enabled: scheduled.enabled },
  };
};

const cancelChange = async (ctx: WriteContext, open: StoredRequest, id: string): Promise<Decision> => {
  const cancelled = await cancelScheduled(ctx, open.name, id);
  if (!cancelled) throw new Problem('conflict', NOT_SCHEDULED);
  return {
    state: 'applied',
    why: null,
    etag: null,
    before: { planned: id, at: iso(cancelled.item.at), enabled: cancelled.data.enabled },
    after: { unscheduled: 1 },
  };
};

const execute = (ctx: WriteContext, open: StoredRequest): Promise<Decision> => {
  if (open.plan) return cancelChange(ctx, open, open.plan);
  return open.at === null ? apply(ctx, open) : applyLater(ctx, open, open.at);
};

/** Why a request can no longer be applied, although it was valid when made; null if it can. */
const obstacle = async (ctx: WriteContext, open: StoredRequest): Promise<string | null> => {
  const role = await roleNow(ctx.store, open.by, ctx.now());
  if (role === null || !may(role, 'flags:toggle')) return `${open.by.name} may no longer change flags.`;
  if (open.at !== null && !open.plan && open.at <= ctx.now())
    return 'Its time passed before it was approved.';
  return null;
};

const conflictIn = (error: unknown): string => {
  if (!(error instanceof Problem) || ![404, 409, 412].includes(error.status)) throw error;
  if (error.status === 404) return 'The flag was deleted.';
  return error.status === 412 ? 'The flag was changed after this request.' : error.message;
};

const suspend = async (ctx: WriteContext, open: StoredRequest, why: string): Promise<Decision> => {
  await storeRequest(ctx, { ...open, state: 'suspended', why });
  return { state: 'suspended', why, etag: null, before: { raw: open.from }, after: { why } };
};

const decide = async (ctx: WriteContext, open: StoredRequest): Promise<Decision> => {
  const why = await obstacle(ctx, open);
  if (why !== null) return suspend(ctx, open, why);
  let decided: Decision;
  try {
    // The audit entry gets the requester's reason.
    decided = await execute({ ...ctx, reason: open.reason ?? ctx.reason }, open);
  } catch (error) {
    return suspend(ctx, open, conflictIn(error));
  }
  // The change is made. If the request cannot be removed now, the next approval suspends it.
  await removeRequest(ctx, open.name).catch(() => undefined);
  return decided;
};

const refuse = (open: StoredRequest, actor: Actor): void => {
  refuseApprover(open, actor);
  if (open.state === 'suspended')
    throw new Problem('conflict', `This request is suspended: ${open.why ?? 'it no longer applied.'}`);
};

/** flags.approve: applies or schedules another user's request. Of two concurrent approvals exactly one succeeds. */
export const approveFlagChange = defineCommand({
  contract: flagContracts.approve,
  chartMark: flagMark,
  target: requestTarget,
  redact: ({ id }) => ({ id }),
  run: (ctx, { id }) =>
    decideOnRequest(ctx, id, async (open) => {
      refuse(open, ctx.actor);
      const { state, why, etag, before, after } = await decide(ctx, open);
      return {
        result: { name: open.name, state, why, etag },
        before,
        after: { ...after, state, requestedBy: open.by.name, requestReason: open.reason },
      };
    }),
});
