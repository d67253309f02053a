import 'server-only';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { displayKey } from '@/lib/keyspace/display';
import { isOwn } from '@/lib/keyspace/guarded';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withoutStore } from '@/lib/redis/failure';
import { scanKeys } from '@/lib/redis/scan';
import { findingsOf, readSection } from '@/lib/redis/section';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { familyName } from './families';
import { countedKeys } from './keys';
import type { HotKey } from './schema';
import type { Source } from './source';

const MAX_SAMPLED = 2000;
/** If the store is in the same database, most keys may be the console's own. */
const MAX_EXAMINED = 10_000;
const MAX_KEYS = 20;
const MAX_FAMILIES = 10;
/** The maximum of the server's logarithmic counter. */
const MAX_FREQUENCY = 255;
const MAX_WAIT_MS = SECOND;
/** A sample costs more than the other sections, and changes slowly. */
const SHARED_MS = MINUTE;

/** Any number is a valid cursor, so each sample begins at a random place in the hash table. */
const randomCursor = ({ topology }: ConnectionHandle): string =>
  topology
    .primaries()
    .map(() => randomInt(2 ** 47))
    .join(':');

interface Sample {
  keys: Key[];
  /** Whether it contains all keys. */
  isComplete: boolean;
}

/** Scans from a random place to the end and then from the beginning, so that a small keyspace is sampled completely. */
const sampleKeys = async ({ ctx }: Source): Promise<Sample> => {
  const byId = new Map<string, Key>();
  const sampled = (isComplete: boolean): Sample => ({
    keys: [...byId.values()].slice(0, MAX_SAMPLED),
    isComplete: isComplete && byId.size <= MAX_SAMPLED,
  });
  let examined = 0;
  for (const cursor of [randomCursor(ctx.connection), undefined])
    for await (const { keys } of scanKeys(ctx.connection, cursor === undefined ? {} : { cursor })) {
      examined += keys.length;
      for (const key of keys) if (!isOwn(ctx.catalog, key)) byId.set(key.toString('latin1'), key);
      if (byId.size > MAX_SAMPLED || examined > MAX_EXAMINED) return sampled(false);
    }
  return sampled(true);
};

interface Measured {
  key: Key;
  family: string | null;
  frequency: number;
}

const measure = async ({ ctx }: Source, keys: readonly Key[]): Promise<Measured[]> => {
  const replies = await ctx.connection.background.readMany(keys.map((key) => ['OBJECT FREQ', key] as const));
  return keys.flatMap((key, i) => {
    const frequency = replies[i];
    if (typeof frequency !== 'number') return [];
    return [{ key, frequency, family: ctx.catalog.locate(key).family?.id ?? null }];
  });
};

const byFamily = ({ ctx }: Source, measured: readonly Measured[]) => {
  const groups = new Map<string, { sampled: number; sum: number }>();
  for (const { family, frequency } of measured) {
    if (family === null) continue;
    const group = groups.get(family) ?? { sampled: 0, sum: 0 };
    groups.set(family, { sampled: group.sampled + 1, sum: group.sum + frequency });
  }
  return [...groups]
    .map(([id, { sampled, sum }]) => ({
      ...familyName(ctx.catalog, id),
      sampled,
      frequency: sum / sampled,
    }))
    .sort((a, b) => b.frequency - a.frequency)
    .slice(0, MAX_FAMILIES);
};

interface HotKeys {
  sampled: number;
  of: number | null;
  sampledAt: string;
  keys: HotKey[] | null;
  families: ReturnType<typeof byFamily>;
}

const sample = async (source: Source): Promise<{ figures: HotKeys; isComplete: boolean }> => {
  const { ctx, now } = source;
  const { keys, isComplete } = await sampleKeys(source);
  const measured = await measure(source, keys);
  const census = isComplete ? null : await source.census().catch(withoutStore(null));
  const hottest = measured.sort((a, b) => b.frequency - a.frequency).slice(0, MAX_KEYS);
  await rememberLongKeys(
    ctx,
    hottest.map(({ key }) => key),
  );
  const figures = {
    sampled: measured.length,
    sampledAt: iso(now),
    families: byFamily(source, measured),
    of: isComplete ? measured.length : census && countedKeys(census, ctx.catalog),
    keys: hottest.map(({ key, family, frequency }) => ({
      key: displayKey(key, ctx.catalog),
      keyId: keyIdOf(ctx, key),
      family,
      frequency,
    })),
  };
  return { figures, isComplete };
};

const samples = sharedAnswer<Awaited<ReturnType<typeof sample>>>('hot-keys', SHARED_MS);

/**
 * The most used keys of a sample, where the policy counts use (LFU). The caller hides `keys` from users without
 * `keys:view`.
 */
export const readHotKeys = (source: Source) =>
  readSection<HotKeys, 'saturated'>(async () => {
    const { nodes } = await source.info();
    if (!nodes.every(({ fields }) => fields.get('maxmemory_policy')?.endsWith('-lfu'))) return 'notLfu';
    // The sample waits in the queue of all scans of the server, possibly longer than a page should wait.
    const sampled = await Promise.race([
      samples.of(source.ctx.connection, () => sample(source)),
      sleep(MAX_WAIT_MS, null, { ref: false }),
    ]);
    if (!sampled) return 'notSampled';
    const { figures, isComplete } = sampled;
    const [hottest] = figures.keys ?? [];
    return {
      figures,
      findings: findingsOf({ saturated: hottest?.frequency === MAX_FREQUENCY }),
      cause: isComplete ? null : 'onlySample',
    };
  });
