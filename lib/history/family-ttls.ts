import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseFields, parseStored } from '@/lib/stored-json';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';

/** When the keys of one family expire, according to one census. */
export const familyTtls = z.object({
  countedAt: z.number(),
  keys: z.number(),
  withTtl: z.number(),
  sumTtlMs: z.number(),
  /** Keys by the bin of their remaining TTL (`REMAINING`); the last bin is open. */
  remaining: z.array(z.number()),
  /** Keys by the start of the bin they expire in, epoch ms, as `[start, width ms, keys]`. */
  expiries: z.array(z.tuple([z.number(), z.number(), z.number()])),
});
export type FamilyTtls = z.output<typeof familyTtls>;

/** Upper bounds of the bins of remaining TTL, ms. */
export const REMAINING = [
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  DAY,
  3 * DAY,
  7 * DAY,
  30 * DAY,
];

/** Bins of expiry times: ten seconds within the next hour, ten minutes within two days, then a day. */
const widthOf = (ttlMs: number): number => {
  if (ttlMs < HOUR) return 10 * SECOND;
  return ttlMs < 2 * DAY ? 10 * MINUTE : DAY;
};

/** Starts are multiples of ten seconds, so the last digit can encode the width. */
const binId = (start: number, width: number): number => start + (width === DAY ? 2 : width > MINUTE ? 1 : 0);

/** The index of the bin of a remaining TTL, ms. */
export const remainingBin = (ttlMs: number): number => {
  let bin = 0;
  while (bin < REMAINING.length && ttlMs >= REMAINING[bin]!) bin += 1;
  return bin;
};

/** Longer TTLs share one bin. */
const LATEST_MS = 400 * DAY;

/** Collects TTLs during a walk over the keyspace. Memory is bounded by the number of bins. */
export class TtlCounts {
  private keys: number;
  private withTtl: number;
  private sumTtlMs: number;
  private readonly remaining: number[];
  /** By start and width. */
  private readonly bins: Map<number, [number, number, number]>;

  /** `stored`: a count to continue. */
  constructor(stored?: FamilyTtls) {
    this.keys = stored?.keys ?? 0;
    this.withTtl = stored?.withTtl ?? 0;
    this.sumTtlMs = stored?.sumTtlMs ?? 0;
    this.remaining = stored?.remaining ?? new Array<number>(REMAINING.length + 1).fill(0);
    this.bins = new Map(stored?.expiries.map((bin) => [binId(bin[0], bin[1]), bin]));
  }

  /** `pttl` is a reply of PTTL: -1 for a key without TTL, -2 for one that no longer exists. */
  add(pttl: number, now: number): void {
    if (pttl === -2) return;
    this.keys += 1;
    if (pttl < 0) return;
    this.withTtl += 1;
    this.sumTtlMs += pttl;
    this.remaining[remainingBin(pttl)]! += 1;
    const ttl = Math.min(pttl, LATEST_MS);
    const width = widthOf(ttl);
    const start = Math.floor((now + ttl) / width) * width;
    const id = binId(start, width);
    const bin = this.bins.get(id);
    if (bin) bin[2] += 1;
    else this.bins.set(id, [start, width, 1]);
  }

  finish(countedAt: number): FamilyTtls {
    const { keys, withTtl, sumTtlMs, remaining } = this;
    const expiries = [...this.bins.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return { countedAt, keys, withTtl, sumTtlMs, remaining, expiries };
  }
}

const keyOf = (connection: string): Buffer => consoleFamilies.familyTtls.key({ connection });

/** Replaces the TTLs of the previous census. */
export const writeFamilyTtls = (
  store: Store,
  connection: string,
  families: ReadonlyMap<string, FamilyTtls>,
): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    const transaction = redis.multi().del(key);
    for (const [id, ttls] of families) transaction.hset(key, id, JSON.stringify(ttls));
    await transaction.pexpire(key, 7 * DAY).exec();
  });

export const readFamilyTtls = (
  store: Store,
  connection: string,
  family: string,
): Promise<FamilyTtls | null> =>
  store.use(async (redis) => parseStored(familyTtls, await redis.hget(keyOf(connection), family)));

/** TTLs of every family, by family id. */
export const readAllFamilyTtls = (store: Store, connection: string): Promise<Map<string, FamilyTtls>> =>
  store.use(async (redis) => new Map(parseFields(familyTtls, await redis.hgetall(keyOf(connection)))));
