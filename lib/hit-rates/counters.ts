import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { partsOf } from '@/lib/keyspace/part-params';
import type { Registry } from '@/lib/keyspace/registry';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import type { FamilySums } from './spans';

/** The id for all families together. */
export const APPLICATION = 'application';

/**
 * The application's counters: `metrics:cache_hits:{period}` for all families, `metrics:cache_hits:{family}:{period}`
 * for one.
 */
export interface CacheCounter {
  key: Buffer;
  /** A family id, or `APPLICATION`. */
  family: string;
  outcome: 'hits' | 'misses';
  period: string;
}

const NAME = /^cache_(hits|misses)(?::(.+))?$/;

/** A family by its id, or by its name in the counting application. */
const familyNamed = (catalog: Registry, app: string, name: string): string | null =>
  (catalog.get(name) ?? catalog.get(`${app}.${name}`))?.id ?? null;

/** The counter of a key; null for any other key and for an unknown family. */
export const counterOf = (catalog: Registry, key: Buffer): CacheCounter | null => {
  const classified = catalog.classify(key);
  if (!classified.family || classified.family !== catalog.role('counter')) return null;
  const { app } = classified.family;
  const counted = partsOf(classified.family, classified.params);
  const [, outcome, name] = NAME.exec(counted.name ?? '') ?? [];
  if (!outcome) return null;
  const family = name === undefined ? APPLICATION : familyNamed(catalog, app, name);
  if (family === null) return null;
  return { key, family, outcome: outcome as 'hits' | 'misses', period: counted.period ?? '' };
};

/** Longest first, because it restarts least often. */
const PERIODS = ['total', 'monthly', 'weekly', 'daily', 'hourly'];
const rankOf = (period: string): number =>
  (PERIODS.indexOf(period) + PERIODS.length + 1) % (PERIODS.length + 1);

const byFamily = (counters: readonly CacheCounter[]): Map<string, CacheCounter[]> => {
  const groups = new Map<string, CacheCounter[]>();
  for (const counter of counters)
    groups.set(counter.family, [...(groups.get(counter.family) ?? []), counter]);
  return groups;
};

/**
 * One counter of hits and one of misses per family, both of one period: all periods count the same look-ups. A family
 * without one of the two has no rate and is omitted.
 */
export const pairs = (counters: readonly CacheCounter[]): CacheCounter[] =>
  [...byFamily(counters).values()].flatMap((list) => {
    const periods = [...new Set(list.map(({ period }) => period))].sort(
      (a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b),
    );
    for (const period of periods) {
      const hits = list.find((counter) => counter.period === period && counter.outcome === 'hits');
      const misses = list.find((counter) => counter.period === period && counter.outcome === 'misses');
      if (hits && misses) return [hits, misses];
    }
    return [];
  });

const keyOf = (connection: string): Buffer => consoleFamilies.cacheCounters.key({ connection });

/** Stores the counters that the last census found. */
export const saveCounters = (store: Store, connection: string, keys: readonly Buffer[]): Promise<void> =>
  store.use(async (redis) => {
    const list = JSON.stringify(keys.map((key) => key.toString('base64url')));
    await redis.set(keyOf(connection), list, 'PX', 7 * DAY);
  });

export const knownCounters = (store: Store, connection: string, catalog: Registry): Promise<CacheCounter[]> =>
  store.use(async (redis) => {
    const list = parseStored(z.array(z.string()), await redis.get(keyOf(connection))) ?? [];
    const counters = list.map((key) => counterOf(catalog, Buffer.from(key, 'base64url')));
    return pairs(counters.filter((counter) => counter !== null));
  });

/** The number in a counter; null for anything but digits, and beyond the safe integers. */
export const numberIn = (value: Buffer): number | null => {
  const text = value.toString('latin1');
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
};

/** The numbers of counters at one time, by key. */
export type Readings = ReadonlyMap<string, number>;

/**
 * The growth between two readings. A counter that is smaller, missing or new was restarted and adds nothing, so growth
 * is never negative.
 */
export const growth = (
  counters: readonly CacheCounter[],
  before: Readings,
  after: Readings,
): Record<string, FamilySums> => {
  const families: Record<string, FamilySums> = {};
  for (const [family, pair] of byFamily(counters)) {
    const grown = pair.map(({ key, outcome }) => {
      const id = key.toString('latin1');
      const [was, is] = [before.get(id), after.get(id)];
      return { outcome, by: was === undefined || is === undefined || is < was ? null : is - was };
    });
    // Half a pair would give a rate of 0 or 1.
    if (grown.some(({ by }) => by === null)) continue;
    const growthOf = (wanted: CacheCounter['outcome']) =>
      grown.find(({ outcome }) => outcome === wanted)?.by ?? 0;
    families[family] = [growthOf('hits'), growthOf('misses'), 0, 0, 0, 0];
  }
  return families;
};
