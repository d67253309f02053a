import type { Redis } from 'ioredis';
import { HOUR } from '@/lib/time';
import { scanAll } from '../testing/scan-all';
import { seedSession } from '../testing/sessions';

const BATCH = 1000;

const inBatches = async (
  redis: Redis,
  count: number,
  write: (pipeline: ReturnType<Redis['pipeline']>, n: number) => void,
): Promise<void> => {
  for (let from = 0; from < count; from += BATCH) {
    const pipeline = redis.pipeline();
    for (let n = from; n < Math.min(count, from + BATCH); n++) write(pipeline, n);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
};

/**
 * `author:id:{n}` in the application's format, with expiries of all kinds; one in ten is not a string. `isHere`:
 * whether a key belongs on this server of a cluster.
 */
export const seedAuthors = (redis: Redis, count: number, isHere = (_key: string) => true): Promise<void> =>
  inBatches(redis, count, (pipeline, n) => {
    const key = `author:id:${n}`;
    if (!isHere(key)) return;
    const stat = { topics: n % 7, authors: n % 11, shouts: n % 1000 };
    if (n % 40 === 10) pipeline.hset(key, { id: n, name: `Автор ${n}` });
    else if (n % 40 === 20) pipeline.zadd(key, n, 'a', n + 0.5, 'b');
    else if (n % 40 === 30) pipeline.sadd(key, n, n + 1);
    else if (n % 40 === 35) pipeline.rpush(key, n, '', 'x'.repeat(100));
    else pipeline.set(key, JSON.stringify({ id: n, name: `Автор ${n}`, slug: `author-${n}`, stat }));
    if (n % 3 === 1) pipeline.pexpire(key, HOUR + n);
    if (n % 3 === 2) pipeline.pexpire(key, 24 * HOUR + 7 * n);
  });

/** `author:id:{n}` as plain strings, from 1 on. */
export const seedPlainAuthors = (redis: Redis, count: number): Promise<void> =>
  inBatches(redis, count, (pipeline, n) =>
    pipeline.set(`author:id:${n + 1}`, `{"id":${n + 1},"name":"Anna"}`),
  );

export const FAR_ADDRESS = '198.51.100.7';

/** Healthy sessions, ten per user; all but every `others`th are from `FAR_ADDRESS`. Returns the number of those. */
export const seedSessions = async (redis: Redis, count: number, others: number): Promise<number> => {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const isFar = (n: number) => n % others !== 0;
  await Promise.all(
    numbers.map((n) => {
      const ip = isFar(n) ? FAR_ADDRESS : '203.0.113.9';
      const device_info = JSON.stringify({ user_agent: 'Firefox/143.0', ip });
      return seedSession(redis, { userId: String(1 + Math.floor(n / 10)), fields: { device_info } });
    }),
  );
  return numbers.filter(isFar).length;
};

/** Every matching key, by the drill's own SCAN, for comparison with the console's result. */
export const keysLike = async (redis: Redis, match: string): Promise<string[]> => {
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', match, 'COUNT', 10_000);
    for (const key of keys) names.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...names];
};

interface Copied {
  value: string;
  /** Its expiry in epoch ms; -1 never. */
  expires: number;
}
/** By the key's name in latin1. */
export type Copy = Map<string, Copied>;

/** The fields of a hash and the members of a set, sorted: their order in a DUMP changes during rehashing. */
const UNORDERED: Record<string, { command: string; parts: number }> = {
  hash: { command: 'HGETALL', parts: 2 },
  set: { command: 'SMEMBERS', parts: 1 },
};

const contentOf = async (redis: Redis, key: Buffer): Promise<string> => {
  const unordered = UNORDERED[await redis.type(key)];
  if (!unordered) return String((await redis.dumpBuffer(key))?.toString('base64'));
  const { command, parts } = unordered;
  const flat = ((await redis.callBuffer(command, [key])) as Buffer[]).map((part) => part.toString('base64'));
  const elements = Array.from({ length: flat.length / parts }, (_, i) =>
    flat.slice(i * parts, (i + 1) * parts).join(' '),
  );
  return elements.sort().join('\n');
};

/** The content and expiry of each key. */
export const copyOf = async (redis: Redis, match = '*'): Promise<Copy> => {
  const keys = await scanAll(redis, match);
  const copy: Copy = new Map();
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH);
    const values = await Promise.all(batch.map((key) => contentOf(redis, key)));
    const expiries = await Promise.all(batch.map((key) => redis.pexpiretime(key)));
    for (const [i, key] of batch.entries())
      copy.set(key.toString('latin1'), { value: values[i]!, expires: expiries[i]! });
  }
  return copy;
};

/** The differences between two copies. `withinMs`: by how much an expiry may differ. */
export const differences = (before: Copy, after: Copy, withinMs = 0) => {
  const both = [...before].flatMap(([key, was]) => {
    const is = after.get(key);
    return is ? [{ was, is }] : [];
  });
  const missing = before.size - both.length;
  const added = after.size - both.length;
  const values = both.filter(({ was, is }) => was.value !== is.value).length;
  const offBy = both.map(({ was, is }) => Math.abs(was.expires - is.expires)).filter((ms) => ms > 0);
  const expiries = offBy.length > 0 ? ` (by ${Math.max(...offBy)} ms at most)` : '';
  const text = `${after.size} keys; ${missing} missing, ${added} more, ${values} other values, ${offBy.length} other expiries${expiries}`;
  const late = offBy.filter((ms) => ms > withinMs).length;
  return { same: missing + added + values + late === 0, text };
};
