import 'server-only';
import { z } from 'zod';
import type { Principal } from '@/lib/access/on-behalf-of';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { changeItem, type ScheduledItem, schedule, scheduledOf, unschedule } from '@/lib/jobs/schedule';
import { withoutStore } from '@/lib/redis/failure';
import { iso } from '@/lib/time';
import { flagContracts, type ScheduledChange } from './schema';

export const SCHEDULED_BY = flagContracts.schedule.id;

export const scheduledData = z.strictObject({
  enabled: z.boolean(),
  /** The etag of the value it waits for: that it was planned upon, or that the plan before it leaves. */
  expects: z.string(),
  /** The etag of the value it leaves. */
  leaves: z.string(),
  /** Whoever approved it, where two people are needed. */
  approvedBy: z.string().nullable(),
});
export type ScheduledData = z.output<typeof scheduledData>;

export interface ScheduledEntry {
  item: ScheduledItem;
  data: ScheduledData;
}

export const NOT_SCHEDULED = 'This is not planned any more.';

const MAX_PER_FLAG = 50;

const entryOf = (item: ScheduledItem): ScheduledEntry | null => {
  const data = scheduledData.safeParse(item.data).data;
  return data ? { item, data } : null;
};

/** Everything planned for flags of the connection, waiting or suspended, by time. */
export const readScheduled = async (ctx: ReadContext): Promise<ScheduledEntry[]> => {
  const items = await scheduledOf(ctx.store, ctx.connection.config.id, SCHEDULED_BY);
  return items.flatMap((item) => entryOf(item) ?? []);
};

export const scheduledFor = async (ctx: ReadContext, name: string): Promise<ScheduledEntry[]> =>
  (await readScheduled(ctx)).filter(({ item }) => item.target === name);

export const toScheduledChange = ({ item, data }: ScheduledEntry): ScheduledChange => ({
  id: item.id,
  at: iso(item.at),
  enabled: data.enabled,
  by: item.by.name,
  reason: item.reason,
  state: item.state === 'suspended' ? 'suspended' : 'waiting',
  why: item.why,
});

/** The neighbours a plan for this time has among those that wait. */
const neighbours = (
  plans: readonly ScheduledEntry[],
  at: number,
): { before?: ScheduledEntry; after?: ScheduledEntry } => {
  const waiting = plans.filter(({ item }) => item.state !== 'suspended');
  return {
    before: waiting.filter(({ item }) => item.at < at).at(-1),
    after: waiting.find(({ item }) => item.at > at),
  };
};

/** A plan that followed upon one value follows upon another; one that waited for something else is left alone. */
const relink = async (
  ctx: WriteContext,
  plan: ScheduledEntry | undefined,
  from: string,
  to: string,
): Promise<void> => {
  if (plan?.item.state !== 'waiting' || plan.data.expects !== from || from === to) return;
  await changeItem(ctx.store, plan.item, 'waiting', { data: { ...plan.data, expects: to } });
};

/**
 * Plans a change between those that are planned already: it waits for what the one before it leaves, and the one
 * after it for what it leaves. `etag` is the present value's. Throws 409 for a second plan of the same time.
 */
export const addScheduled = async (
  ctx: WriteContext,
  planned: { name: string; at: number; etag: string; by?: Principal } & Pick<
    ScheduledData,
    'enabled' | 'leaves' | 'approvedBy'
  >,
): Promise<ScheduledChange> => {
  const { name, at, etag, by, ...data } = planned;
  const plans = await scheduledFor(ctx, name);
  if (plans.some(({ item }) => item.at === at && item.state !== 'suspended'))
    throw new Problem('conflict', 'There is a plan for this flag and this time already.');
  if (plans.length >= MAX_PER_FLAG)
    throw new Problem('conflict', `${MAX_PER_FLAG} changes are planned for this flag already.`);
  const { before, after } = neighbours(plans, at);
  const expects = before?.data.leaves ?? etag;
  const kept: ScheduledData = { ...data, expects };
  const item = await schedule(ctx, { action: SCHEDULED_BY, target: name, at, by, data: { ...kept } });
  await relink(ctx, after, expects, data.leaves);
  return toScheduledChange({ item, data: kept });
};

/** Takes a plan out; the one after it then waits for what this one waited for. Null when there is none. */
export const cancelScheduled = async (
  ctx: WriteContext,
  name: string,
  id: string,
): Promise<ScheduledEntry | null> => {
  const plans = await scheduledFor(ctx, name);
  const plan = plans.find(({ item }) => item.id === id);
  if (!plan || !(await unschedule(ctx.store, ctx.connection.config.id, id))) return null;
  const { after } = neighbours(plans, plan.item.at);
  if (plan.item.state === 'waiting') await relink(ctx, after, plan.data.leaves, plan.data.expects);
  return plan;
};

/** Takes all plans of a flag out that is no more; one that is just being carried out finds it gone by itself. */
export const cancelAllScheduled = async (ctx: WriteContext, name: string): Promise<number> => {
  const plans = await scheduledFor(ctx, name).catch(withoutStore<ScheduledEntry[]>([]));
  let removed = 0;
  for (const { item } of plans) {
    const gone = await unschedule(ctx.store, item.connection, item.id).catch((error: unknown) => {
      if (error instanceof Problem) return null;
      throw error;
    });
    if (gone) removed += 1;
  }
  return removed;
};
