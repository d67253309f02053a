import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { chainOf } from './chain';
import { type Head, type KnownHead, knownHead } from './known-heads';
import { verdict } from './schema';
import { readSigned, signed } from './signed';

/** The stored state of the watch over the log, each field with its own MAC. Times are epoch ms. */
const FIELDS = {
  /** The last verification. */
  verdict: verdict.extend({ at: z.number() }),
  /** A problem that nobody has acknowledged yet. */
  alarm: z.object({ since: z.number(), problem: z.string() }),
  /** When a problem was last acknowledged: heads known before are no longer required. */
  acknowledged: z.number(),
};
type Field = keyof typeof FIELDS;
type Value<F extends Field> = z.output<(typeof FIELDS)[F]>;

const WATCH = consoleFamilies.auditWatch.key();
const HEADS = consoleFamilies.auditHeads.key();
const REFUSALS = consoleFamilies.auditRefusals.key();
const MAX_HEADS = 1000;

export const readWatch = async <F extends Field>(store: Store, field: F): Promise<Value<F> | null> => {
  const stored = await store.use((redis) => redis.hget(WATCH, field));
  return readSigned(`watch-${field}`, FIELDS[field], stored) as Value<F> | null;
};

/** Stores a field; null removes it. */
export const writeWatch = async <F extends Field>(
  store: Store,
  field: F,
  value: Value<F> | null,
): Promise<void> => {
  await store.use((redis) =>
    value === null ? redis.hdel(WATCH, field) : redis.hset(WATCH, field, signed(`watch-${field}`, value)),
  );
};

/** Stores an alarm; false where one exists. Exactly one of several processes gets `true`. */
export const storeAlarm = (store: Store, alarm: Value<'alarm'>): Promise<boolean> =>
  store.use(async (redis) => {
    const present = await redis.hget(WATCH, 'alarm');
    if (readSigned('watch-alarm', FIELDS.alarm, present)) return false;
    if (present !== null) await redis.hdel(WATCH, 'alarm');
    return (await redis.hsetnx(WATCH, 'alarm', signed('watch-alarm', alarm))) === 1;
  });

/** Deletes the watch key if it has another type, which would make each check fail. True where it did. */
export const dropReplaced = (store: Store): Promise<boolean> =>
  store.use(async (redis) => {
    let replaced = 0;
    for (const [key, kind] of [
      [WATCH, 'hash'],
      [HEADS, 'list'],
      [REFUSALS, 'hash'],
    ] as const)
      if (!['none', kind].includes(await redis.type(key))) replaced += await redis.unlink(key);
    return replaced > 0;
  });

/** The heads stored since the last acknowledgement, oldest first. */
export const storedHeads = async (store: Store): Promise<KnownHead[]> => {
  const since = (await readWatch(store, 'acknowledged')) ?? 0;
  const stored = await store.use((redis) => redis.lrange(HEADS, 0, -1));
  const heads = stored.flatMap((text) => readSigned('known-head', knownHead, text) ?? []);
  return heads.filter(({ at }) => at > since).reverse();
};

/** Ends the alarm, and no longer requires heads known until now. */
export const acknowledgeAlarm = async (store: Store): Promise<void> => {
  const now = Date.now();
  await writeWatch(store, 'acknowledged', now);
  await writeWatch(store, 'alarm', null);
  await store.use((redis) => redis.del(HEADS));
  chainOf(store).known.forget(now);
};

/** Stores a head, one a minute, so that a process started later detects a truncated log. */
export const storeHead = (store: Store, { digest, seq }: Head, now: number): Promise<void> =>
  store.use(async (redis) => {
    const newest = readSigned('known-head', knownHead, await redis.lindex(HEADS, 0));
    if (newest && (newest.seq >= seq || now - newest.at < MINUTE)) return;
    await redis.lpush(HEADS, signed('known-head', { digest, seq, at: now }));
    await redis.ltrim(HEADS, 0, MAX_HEADS - 1);
  });

/** Whether a failover would keep everything read until now. Always true where the store cannot fail over. */
export const isConfirmed = async (store: Store, now: number): Promise<boolean> =>
  !store.mayFailOver ||
  store.withReplica(async (redis, confirm) => {
    // Replicas confirm a connection's own writes, and thereby all earlier ones.
    await redis.hset(WATCH, 'looked', now);
    return confirm();
  });

/** Every head that must be on the chain: those of this process and those in the store. */
export const knownHeads = async (store: Store): Promise<KnownHead[]> => {
  chainOf(store).known.forget((await readWatch(store, 'acknowledged')) ?? 0);
  return [...(await storedHeads(store)), ...chainOf(store).known.all];
};
