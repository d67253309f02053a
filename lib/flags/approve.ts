import 'server-only';
import { roleNow } from '@/lib/access/on-behalf-of';
import { type Actor, actorLabel, ownerOf } from '@/lib/actor';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { may } from '@/lib/permissions';
import { iso } from '@/lib/time';
import { createFlag, deleteFlag, newText, switchFlag } from './change';
import { flagMark } from './chart-mark';
import { decideOnRequest, requestTarget } from './request-commands';
import { isBy, removeRequest, type StoredRequest, storeRequest } from './requests';
import { scheduleSwitch } from './schedule';
import { cancelScheduled, NOT_SCHEDULED } from './scheduled-changes';
import { flagContracts } from './schema';

interface Decided {
  state: 'applied' | 'scheduled' | 'suspended';
  why: string | null;
  etag: string | null;
  before: AuditJson;
  after: Record<string, AuditJson>;
}

/** The change as its own command would make it, at once and through the same compare-and-set. */
const apply = async (ctx: WriteContext, open: StoredRequest): Promise<Decided> => {
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

const plan = async (ctx: WriteContext, open: StoredRequest, at: number): Promise<Decided> => {
  const { name, enabled, etag } = open;
  const wanted = { name, enabled: enabled ?? false, etag: etag ?? '', at: iso(at) };
  const planned = await scheduleSwitch(ctx, wanted, { asked: open.by, by: actorLabel(ctx.actor) });
  return {
    state: 'scheduled',
    why: null,
    etag,
    before: { raw: open.from },
    after: { planned: planned.id, at: planned.at, enabled: planned.enabled },
  };
};

const takeOut = async (ctx: WriteContext, open: StoredRequest, id: string): Promise<Decided> => {
  const plan = await cancelScheduled(ctx, open.name, id);
  if (!plan) throw new Problem('conflict', NOT_SCHEDULED);
  return {
    ...{ state: 'applied', why: null, etag: null },
    before: { planned: id, at: iso(plan.item.at), enabled: plan.data.enabled },
    after: { unscheduled: 1 },
  };
};

const execute = (ctx: WriteContext, open: StoredRequest): Promise<Decided> => {
  if (open.plan) return takeOut(ctx, open, open.plan);
  return open.at === null ? apply(ctx, open) : plan(ctx, open, open.at);
};

/** What stands in the way of a change that was fine when it was asked for; null: nothing. */
const obstacle = async (ctx: WriteContext, open: StoredRequest): Promise<string | null> => {
  const role = await roleNow(ctx.store, open.by, ctx.now());
  if (role === null || !may(role, 'flags:toggle')) return `${open.by.name} may no longer change flags.`;
  if (open.at !== null && !open.plan && open.at <= ctx.now())
    return 'Its time passed before it was approved.';
  return null;
};

const conflictIn = (error: unknown): string => {
  if (!(error instanceof Problem) || ![404, 409, 412].includes(error.status)) throw error;
  if (error.status === 404) return 'The flag is gone.';
  return error.status === 412 ? 'The flag was changed after this was asked for.' : error.message;
};

const suspend = async (ctx: WriteContext, open: StoredRequest, why: string): Promise<Decided> => {
  await storeRequest(ctx, { ...open, state: 'suspended', why });
  return { state: 'suspended', why, etag: null, before: { raw: open.from }, after: { why } };
};

const decide = async (ctx: WriteContext, open: StoredRequest): Promise<Decided> => {
  const why = await obstacle(ctx, open);
  if (why !== null) return suspend(ctx, open, why);
  let decided: Decided;
  try {
    // What was asked for is done for the reason it was asked for.
    const as = { ...ctx, reason: open.reason ?? ctx.reason };
    decided = await execute(as, open);
  } catch (error) {
    return suspend(ctx, open, conflictIn(error));
  }
  // The change is made: a request that cannot be taken out now is suspended by whoever approves it again.
  await removeRequest(ctx, open.name).catch(() => undefined);
  return decided;
};

const refuse = (open: StoredRequest, actor: Actor): void => {
  if (ownerOf(actor) === null)
    throw new Problem('forbidden', 'No user is behind this API token, so it is no second person.');
  if (isBy(open, actor))
    throw new Problem('forbidden', 'You asked for this yourself: somebody else has to approve it.');
  if (open.state === 'suspended')
    throw new Problem('conflict', `This request is suspended: ${open.why ?? 'it did not fit any more.'}`);
};

/** Carries out what somebody else asked for. Of two who approve at once exactly one does. */
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
