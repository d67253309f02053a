import 'server-only';
import { z } from 'zod';
import { type Principal, principalOf } from '@/lib/access/on-behalf-of';
import type { Actor } from '@/lib/actor';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { addEntry, removeEntry } from './queue';

/** How scheduled work ended; a `suspended` item stays in the list until a user cancels it. */
export type Executed = { state: 'done' } | { state: 'suspended'; why: string };

/** A kind of scheduled work. `execute` makes its changes through `runCommand`. */
export interface ScheduledWork<Payload extends z.ZodType = z.ZodType> {
  /** The operationId that scheduled it. */
  action: string;
  /** Parses `data`, which an earlier version may have written. An item that does not parse is suspended. */
  payload: Payload;
  execute(
    call: { actor: Actor; requestId: string; connection: ConnectionHandle },
    item: ScheduledItem,
    payload: z.output<Payload>,
  ): Promise<Executed>;
}

/** Stored, as in what undoes a cancellation. */
export const principal = z.object({ kind: z.enum(['user', 'token']), id: z.string(), name: z.string() });

const item = z.object({
  id: z.string(),
  action: z.string(),
  connection: z.string(),
  /** The target in the audit log. */
  target: z.string(),
  /** Epoch ms. */
  at: z.number(),
  by: principal,
  reason: z.string().nullable(),
  /** The audit entry of the command that scheduled it. */
  auditId: z.string(),
  data: z.json(),
  state: z.enum(['waiting', 'running', 'suspended']),
  why: z.string().nullable(),
  createdAt: z.number(),
});

/** One scheduled item. `data` is stored unencrypted and must not hold a secret. */
export type ScheduledItem = z.output<typeof item>;

const registry = processWide('scheduled-work', () => new Map<string, ScheduledWork>());

/** Called by wiring with the scheduled work of all domains. */
export const registerScheduled = (work: ScheduledWork): void => {
  registry().set(work.action, work);
};

export const scheduledWork = (action: string): ScheduledWork | undefined => registry().get(action);

const keyOf = (connection: string): Buffer => consoleFamilies.scheduled.key({ connection });

const parse = (text: string | null | undefined): ScheduledItem | null => parseStored(item, text);

/** The stored item decides what is executed; its queue entry only decides when. */
export const saveItem = (store: Store, item: ScheduledItem): Promise<void> =>
  store.use(async (redis) => {
    await redis.hset(keyOf(item.connection), item.id, JSON.stringify(item));
  });

export const deleteItem = (store: Store, { connection, id }: ScheduledItem): Promise<void> =>
  store.use(async (redis) => {
    await redis.hdel(keyOf(connection), id);
  });

/** Adds the item's queue entry for its time. An entry without an item does nothing. */
export const queueItem = (store: Store, { connection, id, action, at }: ScheduledItem): Promise<void> =>
  addEntry(
    store,
    'scheduled',
    { id, action, data: { connection, id } },
    { delay: Math.max(0, at - Date.now()) },
  );

/** Scheduled items of one connection. */
const MAX_ITEMS = 1000;

/**
 * Schedules work on behalf of `by`, by default the actor of this command, whose role is checked again when it is due.
 * Throws 409 beyond 1000 items of a connection, 503 when the store is unreachable.
 */
export const schedule = async (
  ctx: WriteContext,
  planned: { action: string; target: string; at: number; data: AuditJson; by?: Principal },
): Promise<ScheduledItem> => {
  const by = planned.by ?? principalOf(ctx.actor);
  if (!by) throw new Problem('forbidden', 'Only a user or an API token can schedule a change.');
  const connection = ctx.connection.config.id;
  if ((await ctx.store.use((redis) => redis.hlen(keyOf(connection)))) >= MAX_ITEMS)
    throw new Problem('conflict', `${MAX_ITEMS} changes are already scheduled. Cancel some of them first.`);
  const kept: ScheduledItem = {
    ...planned,
    id: newId(),
    connection,
    by,
    reason: ctx.reason,
    auditId: ctx.auditId,
    state: 'waiting',
    why: null,
    createdAt: ctx.now(),
  };
  await saveItem(ctx.store, kept);
  try {
    await queueItem(ctx.store, kept);
  } catch (error) {
    await deleteItem(ctx.store, kept).catch(() => undefined);
    throw error;
  }
  return kept;
};

/** The scheduled items of a connection, of one action if given, earliest first. */
export const scheduledOf = async (
  store: Store,
  connection: string,
  action?: string,
): Promise<ScheduledItem[]> => {
  const texts = await store.use((redis) => redis.hvals(keyOf(connection)));
  return texts
    .flatMap((text) => parse(text) ?? [])
    .filter((item) => action === undefined || item.action === action)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

export const findScheduled = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> => parse(await store.use((redis) => redis.hget(keyOf(connection), id)));

/**
 * Changes an item in the given state by compare-and-set; null when it is missing or in another state. When two processes
 * work on one item because one seemed dead, only one of them changes it, and a deleted item is not written again.
 */
export const changeItem = async (
  store: Store,
  { connection, id }: Pick<ScheduledItem, 'connection' | 'id'>,
  state: ScheduledItem['state'],
  change: Partial<ScheduledItem>,
): Promise<ScheduledItem | null> => {
  const key = keyOf(connection);
  const text = await store.use((redis) => redis.hget(key, id));
  const item = parse(text);
  if (item?.state !== state) return null;
  const changed = { ...item, ...change };
  const [, , set] = (await store.run(
    'hash-replace',
    [key],
    [id, text!, JSON.stringify(changed)],
  )) as number[];
  return set === 1 ? changed : null;
};

/** Cancels an item; null when it does not exist. Throws 409 while it is being executed. */
export const unschedule = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> => {
  const scheduled = await findScheduled(store, connection, id);
  if (!scheduled) return null;
  // Suspended first, so it is not executed even if its queue entry cannot be removed.
  const held = { state: 'suspended', why: 'It was being cancelled.' } as const;
  if (scheduled.state === 'running' || !(await changeItem(store, scheduled, scheduled.state, held)))
    throw new Problem('conflict', 'This change is being executed right now.');
  await removeEntry(store, 'scheduled', id);
  await deleteItem(store, scheduled);
  return scheduled;
};
