import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { attemptFields, nextAttemptOf } from './attempts';
import { CONDITIONS, ENDED_BY, SEVERITIES } from './schema';

export const MAX_EVENTS = 5000;
const KEPT_MS = 90 * DAY;

const storedDelivery = z.object({
  ...attemptFields,
  event: z.enum(['firing', 'resolved']),
  /** A silence ended its attempts; they go on when the alert still fires after it. */
  held: z.boolean().optional(),
});
export type StoredDelivery = z.output<typeof storedDelivery>;

export const limitTerms = z.object({
  condition: z.enum(CONDITIONS),
  value: z.number(),
  windowSeconds: z.number(),
  forSeconds: z.number(),
});
/** The fields of a rule that its limit in words consists of. */
export type LimitTerms = z.output<typeof limitTerms>;

/** An alert from when it fired until it resolved, as it is stored. */
export const storedEvent = z.object({
  id: z.string(),
  ruleId: z.string(),
  name: z.string(),
  description: z.string(),
  severity: z.enum(SEVERITIES),
  metric: z.string(),
  series: z.string(),
  labels: z.record(z.string(), z.string()),
  /** What it had to pass, in English: for consoles of an older version, which have no `terms`. */
  limit: z.string(),
  terms: limitTerms.optional(),
  /** The unit of the values. */
  unit: z.string().nullable(),
  firedAt: z.number(),
  value: z.number().nullable(),
  resolvedAt: z.number().nullable(),
  resolvedValue: z.number().nullable(),
  endedBy: z.enum(ENDED_BY).nullable(),
  /** A silence holds back the message that it fires, or did until the end. */
  silenced: z.boolean(),
  deliveries: z.array(storedDelivery),
});
export type StoredEvent = z.output<typeof storedEvent>;

const eventsKey = (connection: string) => consoleFamilies.alertEvents.key({ connection });
const historyKey = (connection: string) => consoleFamilies.alertHistory.key({ connection });
const dueKey = (connection: string) => consoleFamilies.alertDue.key({ connection });
export const statesKey = (connection: string) => consoleFamilies.alertStates.key({ connection });

export interface ReadEvent {
  event: StoredEvent;
  text: string;
}

/** Events by id; those that are gone are left out. */
export const readEvents = async (
  store: Store,
  connection: string,
  ids: readonly string[],
): Promise<Map<string, ReadEvent>> => {
  if (ids.length === 0) return new Map();
  const texts = await store.use((redis) => redis.hmget(eventsKey(connection), ...ids));
  return new Map(
    ids.flatMap((id, i) => {
      const event = parseStored(storedEvent, texts[i]);
      return event ? [[id, { event, text: texts[i]! }] as const] : [];
    }),
  );
};

export interface EventChange {
  /** As it was read; null for a new one. */
  before: string | null;
  after: StoredEvent;
}

export interface StateChange {
  rule: string;
  /** '' is absent. */
  before: string;
  after: string;
}

/** Stores states and events, all or nothing; false when something changed since it was read. */
export const commit = async (
  store: Store,
  connection: string,
  states: readonly StateChange[],
  events: readonly EventChange[],
): Promise<boolean> => {
  const keys = [statesKey(connection), eventsKey(connection), historyKey(connection), dueKey(connection)];
  const args = [
    states.length,
    ...states.flatMap(({ rule, before, after }) => [rule, before, after]),
    ...events.flatMap(({ before, after }) => [
      after.id,
      before ?? '',
      JSON.stringify(after),
      after.firedAt,
      nextAttemptOf(after.deliveries),
    ]),
  ];
  const [, , stored] = (await store.run('alert-commit', keys, args)) as number[];
  return stored === 1;
};

const MAX_TRIES = 10;

/** Changes one event by compare-and-set; null when it is gone, or `change` says that there is nothing to change. */
export const changeEvent = async (
  store: Store,
  connection: string,
  id: string,
  change: (event: StoredEvent) => StoredEvent | null,
): Promise<StoredEvent | null> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = (await readEvents(store, connection, [id])).get(id);
    const after = read ? change(read.event) : null;
    if (!read || !after) return null;
    if (await commit(store, connection, [], [{ before: read.text, after }])) return after;
  }
  return null;
};

/** Ids of events with an attempt that is due, the longest overdue first. */
export const dueEvents = (store: Store, connection: string, now: number, count: number): Promise<string[]> =>
  store.use((redis) => redis.zrangebyscore(dueKey(connection), '-inf', now, 'LIMIT', 0, count));

/** Puts events behind all that were due before; they stay due. */
export const moveBack = async (
  store: Store,
  connection: string,
  ids: readonly string[],
  now: number,
): Promise<void> => {
  if (ids.length === 0) return;
  // GT: another process may have begun an attempt, which has its own time.
  const members = ids.flatMap((id) => [now, id]);
  await store.use((redis) => redis.zadd(dueKey(connection), 'XX', 'GT', ...members));
};

/** An event that is gone, or of another version, is not due any more. */
export const forgetDue = (store: Store, connection: string, id: string): Promise<unknown> =>
  store.use((redis) => redis.zrem(dueKey(connection), id));

/** Ids of events up to a time, newest first. */
export const eventIds = (
  store: Store,
  connection: string,
  { before, offset, count }: { before: number | null; offset: number; count: number },
): Promise<string[]> =>
  store.use((redis) =>
    redis.zrevrangebyscore(historyKey(connection), String(before ?? '+inf'), '-inf', 'LIMIT', offset, count),
  );

const TRIM_BATCH = 500;

/** Deletes the oldest events beyond the limits. What still fires, or is still delivered, stays. */
export const trimEvents = async (store: Store, connection: string, now: number): Promise<void> => {
  const key = historyKey(connection);
  const rows = await store.use((redis) => redis.zcard(key));
  const [byAge, byCount] = await Promise.all([
    store.use((redis) => redis.zrangebyscore(key, '-inf', now - KEPT_MS, 'LIMIT', 0, TRIM_BATCH)),
    rows > MAX_EVENTS
      ? store.use((redis) => redis.zrange(key, '0', String(Math.min(TRIM_BATCH, rows - MAX_EVENTS) - 1)))
      : [],
  ]);
  const old = [...new Set([...byAge, ...byCount])];
  const read = await readEvents(store, connection, old);
  const ended = old.filter((id) => {
    const event = read.get(id)?.event;
    return !event || (event.resolvedAt !== null && nextAttemptOf(event.deliveries) === '');
  });
  if (ended.length === 0) return;
  await store.use(async (redis) => {
    const replies = await redis
      .multi()
      .hdel(eventsKey(connection), ...ended)
      .zrem(key, ...ended)
      .zrem(dueKey(connection), ...ended)
      .exec();
    allReplies(replies);
  });
};
