import 'server-only';
import { counterOf } from '@/lib/caches/hit-rates/counters';
import type { Family } from '@/lib/catalog/family';
import type { Registry } from '@/lib/catalog/registry';
import { catalogOf } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Census, FamilyCount } from '@/lib/history/census';
import { type FamilyTtls, TtlCounts } from '@/lib/history/family-ttls';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { MAX_INDEXED_NAMES, type VariableIndex } from '@/lib/values/variable-index';
import { variableNameIn } from '@/lib/values/variable-names';

/** Keys measured per family before only one in fifty is. */
const MEASURED_FIRST = 20;
const MEASURE_EVERY = 50;
/** Enough for a pair of hits and misses per family in several periods. */
const MAX_COUNTERS = 1000;
const VARIABLES = 'discours.env-vars';

interface FamilyCounts {
  keys: number;
  withoutTtl: number;
  measured: number;
  measuredBytes: number;
  types: Record<string, number>;
  ttls: TtlCounts;
}

class CensusCounts {
  readonly byFamily = new Map<string, FamilyCounts>();
  /** The application's own counters of hits and misses. */
  readonly counters: Key[] = [];
  /** Names of environment variables and flags, up to `MAX_INDEXED_NAMES`. */
  readonly variables: string[] = [];
  unclassified = 0;
  malformed = 0;
  private readonly isNew = distinct();
  private readonly catalog: Registry;

  constructor(catalog: Registry) {
    this.catalog = catalog;
  }

  /** The counts of a key's family; null for a key without a family. */
  private countsOf(key: Key, { family, malformedOf }: IdentifiedKey): FamilyCounts | null {
    this.addVariable(key, family ?? malformedOf);
    if (!family) {
      if (malformedOf) this.malformed += 1;
      else this.unclassified += 1;
      return null;
    }
    if (family.id === 'discours.metrics') this.addCounter(key);
    let counts = this.byFamily.get(family.id);
    if (!counts) {
      counts = { keys: 0, withoutTtl: 0, measured: 0, measuredBytes: 0, types: {}, ttls: new TtlCounts() };
      this.byFamily.set(family.id, counts);
    }
    return counts;
  }

  private addVariable(key: Key, family: Family | null): void {
    if (family?.id === VARIABLES && this.variables.length <= MAX_INDEXED_NAMES)
      this.variables.push(variableNameIn(family, key));
  }

  private addCounter(key: Key): void {
    if (this.counters.length < MAX_COUNTERS && counterOf(this.catalog, key)) this.counters.push(key);
  }

  /** Counts a chunk. Types, TTLs and the memory of some keys are read in one round trip. */
  async add(handle: ConnectionHandle, keys: readonly Key[]): Promise<void> {
    const commands: ReadCommand[] = [];
    const handlers: ((reply: unknown) => void)[] = [];
    const fresh = keys.filter((key) => this.isNew(key));
    const settled = await identifyKeys(handle.background, this.catalog, fresh);
    for (const [i, key] of fresh.entries()) {
      const { type } = settled[i]!;
      const counts = this.countsOf(key, settled[i]!);
      if (!counts) continue;
      counts.keys += 1;
      const addType = (of: unknown): void => {
        if (typeof of === 'string' && of !== 'none') counts.types[of] = (counts.types[of] ?? 0) + 1;
      };
      if (type !== null) addType(type);
      else {
        commands.push(['TYPE', key]);
        handlers.push(addType);
      }
      commands.push(['PTTL', key]);
      handlers.push((ttl) => {
        if (ttl === -1) counts.withoutTtl += 1;
        if (typeof ttl === 'number') counts.ttls.add(ttl, Date.now());
      });
      if (counts.keys > MEASURED_FIRST && counts.keys % MEASURE_EVERY !== 0) continue;
      commands.push(['MEMORY USAGE', key]);
      handlers.push((bytes) => {
        if (typeof bytes !== 'number') return;
        counts.measured += 1;
        counts.measuredBytes += bytes;
      });
    }
    const replies = await handle.background.readMany(commands);
    replies.forEach((reply, i) => {
      handlers[i]!(reply);
    });
  }

  families(): Record<string, FamilyCount> {
    return Object.fromEntries(
      [...this.byFamily].map(([id, counts]) => [
        id,
        {
          keys: counts.keys,
          withoutTtl: counts.withoutTtl,
          types: counts.types,
          memoryBytes:
            counts.measured > 0 ? Math.round((counts.measuredBytes / counts.measured) * counts.keys) : null,
        },
      ]),
    );
  }
}

/** The result of one walk over the keyspace. */
export interface Walked {
  census: Census;
  ttls: Map<string, FamilyTtls>;
  counters: Key[];
  /** Null where the connection's applications have none. */
  variables: VariableIndex | null;
}

/** Walks the keyspace within the connection's scan budget and counts it by family. */
export const takeCensus = (handle: ConnectionHandle, signal: AbortSignal): Promise<Walked> =>
  countWithRestart(handle, () => countKeyspace(handle, signal), signal);

const countKeyspace = async (handle: ConnectionHandle, signal: AbortSignal): Promise<Walked> => {
  const startedAt = Date.now();
  const catalog = catalogOf(handle);
  const count = new CensusCounts(catalog);
  for await (const { keys } of scanKeys(handle, { signal })) await count.add(handle, keys);
  const finishedAt = Date.now();
  const { unclassified, malformed, counters, variables: names, byFamily } = count;
  return {
    census: { startedAt, finishedAt, families: count.families(), unclassified, malformed },
    ttls: new Map([...byFamily].map(([id, { ttls }]) => [id, ttls.finish(finishedAt)])),
    counters,
    variables: catalog.get(VARIABLES) ? { at: startedAt, names } : null,
  };
};
