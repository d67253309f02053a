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
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

/** How carrying something out ended; `suspended` stays in the list until somebody takes it out. */
export type CarriedOut = { state: 'done' } | { state: 'suspended'; why: string };

/** What a domain does at a time. `carryOut` changes something through `runCommand` only. */
export interface ScheduledWork<Payload extends z.ZodType = z.ZodType> {
  /** The operationId that planned it. */
  action: string;
  /** What `data` is: it was planned by an earlier version, perhaps. What it cannot be parsed by is suspended. */
  payload: Payload;
  carryOut(
    call: { actor: Actor; requestId: string; connection: ConnectionHandle },
    item: ScheduledItem,
    payload: z.output<Payload>,
  ): Promise<CarriedOut>;
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
  /** The process that is at it. */
  owner: z.string().nullable(),
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

export const scheduleKeys = {
  due: consoleFamilies.due.key(),
  of: (connection: string): Buffer => consoleFamilies.scheduled.key({ connection }),
  member: ({ connection, id }: Pick<ScheduledItem, 'connection' | 'id'>): string => `${connection}/${id}`,
};

const parse = (text: string | null | undefined): ScheduledItem | null => parseStored(item, text);

/** Keeps an item; only one that waits is in the due list, at `dueAt` or its own time. */
export const keepItem = async (store: Store, kept: ScheduledItem, dueAt = kept.at): Promise<void> => {
  const member = scheduleKeys.member(kept);
  await store.use(async (redis) => {
    const change = redis.multi().hset(scheduleKeys.of(kept.connection), kept.id, JSON.stringify(kept));
    if (kept.state === 'waiting') change.zadd(scheduleKeys.due, dueAt, member);
    else change.zrem(scheduleKeys.due, member);
    allReplies(await change.exec());
  });
};

/** Planned work a connection may have at once. */
const MOST = 1000;

/**
 * Plans work in the name of `by`, else of whoever makes this change; their role is asked again when it is due. Throws
 * 409 beyond 1000 items of a connection, 503 when the store cannot take it.
 */
export const schedule = async (
  ctx: WriteContext,
  planned: { action: string; target: string; at: number; data: AuditJson; by?: Principal },
): Promise<ScheduledItem> => {
  const by = planned.by ?? principalOf(ctx.actor);
  if (!by) throw new Problem('forbidden', 'Only a person or an API token can plan something.');
  const connection = ctx.connection.config.id;
  if ((await ctx.store.use((redis) => redis.hlen(scheduleKeys.of(connection)))) >= MOST)
    throw new Problem('conflict', `${MOST} changes are planned already: take some out of the plan first.`);
  const kept: ScheduledItem = {
    ...planned,
    id: newId(),
    connection,
    by,
    reason: ctx.reason,
    auditId: ctx.auditId,
    state: 'waiting',
    why: null,
    owner: null,
    createdAt: ctx.now(),
  };
  await keepItem(ctx.store, kept);
  return kept;
};

/** All planned work of a connection, of one action if given, by its time. */
export const scheduledOf = async (
  store: Store,
  connection: string,
  action?: string,
): Promise<ScheduledItem[]> => {
  const texts = await store.use((redis) => redis.hvals(scheduleKeys.of(connection)));
  return texts
    .flatMap((text) => parse(text) ?? [])
    .filter((each) => action === undefined || each.action === action)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

export const findScheduled = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> =>
  parse(await store.use((redis) => redis.hget(scheduleKeys.of(connection), id)));

/** Replaces an item that waits or is suspended, with its new time. */
export const reschedule = (store: Store, changed: ScheduledItem): Promise<void> => keepItem(store, changed);

/** Takes an item out; null when there is none of this id. What is just being carried out is 409. */
export const unschedule = async (
  store: Store,
  connection: string,
  id: string,
): Promise<ScheduledItem | null> => {
  const found = await findScheduled(store, connection, id);
  if (!found) return null;
  if (found.state === 'running') throw new Problem('conflict', 'It is just being carried out.');
  const member = scheduleKeys.member(found);
  const [waited] = (await store.use(async (redis) =>
    allReplies(
      await redis.multi().zrem(scheduleKeys.due, member).hdel(scheduleKeys.of(connection), id).exec(),
    ),
  )) as number[];
  // Of two, who took it off the due list had it: the other began it at this very moment.
  if (found.state === 'waiting' && waited === 0)
    throw new Problem('conflict', 'It is just being carried out.');
  return found;
};
