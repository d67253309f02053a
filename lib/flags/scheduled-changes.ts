import 'server-only';
import { z } from 'zod';
import type { Principal } from '@/lib/access/on-behalf-of';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { fallbackFor, Problem } from '@/lib/errors';
import { changeItem, type ScheduledItem, schedule, scheduledOf, unschedule } from '@/lib/jobs/schedule';
import { withoutStore } from '@/lib/redis/failure';
import { iso } from '@/lib/time';
import { flagContracts, type ScheduledChange } from './schema';

export const SCHEDULED_BY = flagContracts.schedule.id;

export const scheduledData = z.strictObject({
  enabled: z.boolean(),
  /** Etag of the value the change expects: the one at scheduling, or the one the change before it leaves. */
  expects: z.string(),
  /** Etag of the value the change sets. */
  leaves: z.string(),
  /** The approver; null if no approval was needed. */
  approvedBy: z.string().nullable(),
});
export type ScheduledData = z.output<typeof scheduledData>;

export interface ScheduledEntry {
  item: ScheduledItem;
  data: ScheduledData;
}

export const NOT_SCHEDULED = 'This change is no longer scheduled.';

const MAX_PER_FLAG = 50;

const entryOf = (item: ScheduledItem): ScheduledEntry | null => {
  const data = scheduledData.safeParse(item.data).data;
  return data ? { item, data } : null;
};

/** Scheduled flag changes of the connection, waiting or suspended, by time. */
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

/** The waiting changes just before and after this time. */
const neighbours = (
  entries: readonly ScheduledEntry[],
  at: number,
): { before?: ScheduledEntry; after?: ScheduledEntry } => {
  const waiting = entries.filter(({ item }) => item.state !== 'suspended');
  return {
    before: waiting.filter(({ item }) => item.at < at).at(-1),
    after: waiting.find(({ item }) => item.at > at),
  };
};

/** Makes a change that expects the value `from` expect `to`. Other changes stay as they are. */
const relink = async (
  ctx: WriteContext,
  entry: ScheduledEntry | undefined,
  from: string,
  to: string,
): Promise<void> => {
  if (entry?.item.state !== 'waiting' || entry.data.expects !== from || from === to) return;
  await changeItem(ctx.store, entry.item, 'waiting', { data: { ...entry.data, expects: to } });
};

/**
 * Schedules a change among the waiting ones: it expects the value that the change before it sets, and the change after
 * it expects its value. `etag` is the current value's. 409 if another change has the same time.
 */
export const addScheduled = async (
  ctx: WriteContext,
  change: { name: string; at: number; etag: string; by?: Principal } & Pick<
    ScheduledData,
    'enabled' | 'leaves' | 'approvedBy'
  >,
): Promise<ScheduledChange> => {
  const { name, at, etag, by, ...data } = change;
  const entries = await scheduledFor(ctx, name);
  if (entries.some(({ item }) => item.at === at && item.state !== 'suspended'))
    throw new Problem('conflict', 'A change of this flag is already scheduled for this time.');
  if (entries.length >= MAX_PER_FLAG)
    throw new Problem('conflict', `This flag already has ${MAX_PER_FLAG} scheduled changes.`);
  const { before, after } = neighbours(entries, at);
  const expects = before?.data.leaves ?? etag;
  const full: ScheduledData = { ...data, expects };
  const item = await schedule(ctx, { action: SCHEDULED_BY, target: name, at, by, data: { ...full } });
  await relink(ctx, after, expects, data.leaves);
  return toScheduledChange({ item, data: full });
};

/** Cancels a change; the one after it then expects what this one expected. Null if there is none. */
export const cancelScheduled = async (
  ctx: WriteContext,
  name: string,
  id: string,
): Promise<ScheduledEntry | null> => {
  const entries = await scheduledFor(ctx, name);
  const entry = entries.find(({ item }) => item.id === id);
  if (!entry || !(await unschedule(ctx.store, ctx.connection.config.id, id))) return null;
  const { after } = neighbours(entries, entry.item.at);
  if (entry.item.state === 'waiting') await relink(ctx, after, entry.data.leaves, entry.data.expects);
  return entry;
};

/** Cancels all changes of a deleted flag and counts them. A running change finds the flag missing by itself. */
export const cancelAllScheduled = async (ctx: WriteContext, name: string): Promise<number> => {
  const entries = await scheduledFor(ctx, name).catch(withoutStore<ScheduledEntry[]>([]));
  let count = 0;
  for (const { item } of entries) {
    const cancelled = await unschedule(ctx.store, item.connection, item.id).catch(
      fallbackFor((error) => error instanceof Problem, null),
    );
    if (cancelled) count += 1;
  }
  return count;
};
