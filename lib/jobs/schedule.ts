import 'server-only';
import { z } from 'zod';
import { type Principal, principalOf } from '@/lib/access/on-behalf-of';
import type { Actor } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { addEntry, removeEntry } from './queue';

/** How scheduled work ended; `suspended` stays in the list until somebody takes it out. */
export type Executed = { state: 'done' } | { state: 'suspended'; why: string };

/** What a domain does at a time. `execute` changes something through `runCommand` only. */
export interface ScheduledWork<Payload extends z.ZodType = z.ZodType> {
  /** The operationId that planned it. */
  action: string;
  /** What `data` is: it was planned by an earlier version, perhaps. What it cannot be parsed by is suspended. */
  payload: Payload;
  execute(
    call: { actor: Actor; requestId: string; connection: ConnectionHandle },
    item: ScheduledItem,
    payload: z.output<Payload>,
  ): Promise<Executed>;
}

const item = z.object({
  id: z.string(),
  action: z.string(),
  connection: z.string(),
  /** What it is about, as the audit log names it. */
  target: z.string(),
  /** Epoch ms. */
  at: z.number(),
  by: z.object({ kind: z.enum(['user', 'token']), id: z.string(), name: z.string() }),
  reason: z.string().nullable(),
  /** The change that planned it. */
  auditId: z.string(),
  data: z.json(),
  state: z.enum(['waiting', 'running', 'suspended']),
  why: z.string().nullable(),
  createdAt: z.number(),
});

/** Work that waits for its time. `data` holds no secret: it is kept in the clear. */
export interface ScheduledItem extends z.output<typeof item> {
  by: Principal;
}

const registry = processWide('scheduled-work', () => new Map<string, ScheduledWork>());

/** Wiring registers what the domains do at a time: nothing below knows them all. */
export const registerScheduled = (work: ScheduledWork): void => {
  registry().set(work.action, work);
};

export const scheduledWork = (action: string): ScheduledWork | undefined => registry().get(action);

const keyOf = (connection: string): Buffer => consoleFamilies.scheduled.key({ connection });

const parse = (text: string | null | undefined): ScheduledItem | null => parseStored(item, text);

/** The record is the truth about an item; its entry in the queue only says when it is looked at. */
export const saveItem = (store: Store, item: ScheduledItem): Promise<void> =>
  store.use(async (redis) => {
    await redis.hset(keyOf(item.connection), item.id, JSON.stringify(item));
  });

export const deleteItem = (store: Store, { connection, id }: ScheduledItem): Promise<void> =>
  store.use(async (redis) => {
    await redis.hdel(keyOf(connection), id);
  });

/** Has the queue wake the item at its time. An entry without an item does nothing. */
export const queueItem = (store: Store, { connection, id, action, at }: ScheduledItem): Promise<void> =>
  addEntry(
    store,
    'scheduled',
    { id, action, data: { connection, id } },
    { delay: Math.max(0, at - Date.now()) },
  );

/** Planned work a connection may have at once. */
const MAX_ITEMS = 1000;

/**
 * Plans work in the name of `by`, else of whoever makes this change; their role is asked again when it is due. Throws
 * 409 beyond 1000 items of a connection, 503 when the store cannot take it.
 */
export const schedule = async (
  ctx: WriteContext,
  planned: { action: string; target: string; at: number; data: AuditJson; by?: Principal },
): Promise<ScheduledItem> => {
  const by = planned.by ?? principalOf(ctx.actor);
  if (!by) throw new Problem('forbidden', 'Only a user or an API token can plan something.');
  const connection = ctx.connection.config.id;
  if ((await ctx.store.use((redis) => redis.hlen(keyOf(connection)))) >= MAX_ITEMS)
    throw new Problem(
      'conflict',
      `${MAX_ITEMS} changes are planned already: take some out of the plan first.`,
    );
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

/** All planned work of a connection, of one action if given, by its time. */
export const scheduledOf = async (
  store: Store,
  connection: string,
  action?: string,
): Promise<ScheduledItem[]> => {
  const texts = await store.use((redis) => redis.hvals(keyOf(connection)));
  return texts
    .flatMap((text) => parse(text) ?? [])
    .filter((each) => action === undefined || each.action === action)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

export const findScheduled = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> => parse(await store.use((redis) => redis.hget(keyOf(connection), id)));

/**
 * Changes an item that is in a state, in one step; null where it is not. Of two who are at the same item, because one
 * was taken for dead, exactly one changes it, and what was taken out meanwhile does not come back.
 */
export const changeItem = async (
  store: Store,
  { connection, id }: Pick<ScheduledItem, 'connection' | 'id'>,
  state: ScheduledItem['state'],
  change: Partial<ScheduledItem>,
): Promise<ScheduledItem | null> => {
  const key = keyOf(connection);
  const text = await store.use((redis) => redis.hget(key, id));
  const found = parse(text);
  if (found?.state !== state) return null;
  const changed = { ...found, ...change };
  const [, , set] = (await store.run(
    'hash-replace',
    [key],
    [id, text!, JSON.stringify(changed)],
  )) as number[];
  return set === 1 ? changed : null;
};

/** Takes an item out; null when there is none of this id. What is just being executed is 409. */
export const unschedule = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> => {
  const found = await findScheduled(store, connection, id);
  if (!found) return null;
  // From now on nobody begins it, whether its entry can be removed or not.
  const held = { state: 'suspended', why: 'It was just being taken out.' } as const;
  if (found.state === 'running' || !(await changeItem(store, found, found.state, held)))
    throw new Problem('conflict', 'It is just being carried out.');
  await removeEntry(store, 'scheduled', id);
  await deleteItem(store, found);
  return found;
};
