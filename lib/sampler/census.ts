import 'server-only';
import { counterOf } from '@/lib/caches/hit-rates/counters';
import { displayKey, displayUnclassified } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import { fingerprintOf } from '@/lib/catalog/fingerprint';
import type { Registry } from '@/lib/catalog/registry';
import { catalogOf } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Census, FamilyCount } from '@/lib/history/census';
import type { FamilyTtls } from '@/lib/history/family-ttls';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { MAX_INDEXED_NAMES, type NameIndex } from '@/lib/values/name-index';
import { nameInKey } from '@/lib/values/named-keys';
import { PrefixCounts } from '@/lib/walk/prefix-counts';
import { FamilyCounts } from './family-counts';

/** Keys measured per family before only one in fifty is. */
const MEASURED_FIRST = 20;
const MEASURE_EVERY = 50;
/** Enough for a pair of hits and misses per family in several periods. */
const MAX_COUNTERS = 1000;

class CensusCounts {
  readonly byFamily = new Map<string, FamilyCounts>();
  /** The application's own counters of hits and misses. */
  readonly counters: Key[] = [];
  /** Names of environment variables and flags, up to `MAX_INDEXED_NAMES`. */
  readonly variables: string[] = [];
  readonly prefixes = new PrefixCounts();
  unclassified = 0;
  malformed = 0;
  private readonly isNew = distinct();
  private readonly catalog: Registry;

  constructor(catalog: Registry) {
    this.catalog = catalog;
  }

  /** The counts of a key's family; null for a key without a family. */
  private countsOf(key: Key, { family, malformedOf, isSettled }: IdentifiedKey): FamilyCounts | null {
    this.addVariable(key, family ?? malformedOf);
    if (!family) {
      if (malformedOf) this.malformed += 1;
      else this.addUnclassified(key, isSettled);
      return null;
    }
    if (family.role === 'counter') this.addCounter(key);
    let counts = this.byFamily.get(family.id);
    if (!counts) {
      counts = new FamilyCounts(family);
      this.byFamily.set(family.id, counts);
    }
    return counts;
  }

  private addUnclassified(key: Key, isSettled: boolean): void {
    this.unclassified += 1;
    this.prefixes.add((isSettled ? displayUnclassified : displayKey)(key, this.catalog));
  }

  private addVariable(key: Key, family: Family | null): void {
    if (family && family === this.catalog.role('variable') && this.variables.length <= MAX_INDEXED_NAMES)
      this.variables.push(nameInKey(family, key));
  }

  private addCounter(key: Key): void {
    if (this.counters.length < MAX_COUNTERS && counterOf(this.catalog, key)) this.counters.push(key);
  }

  /** Counts a chunk. Types, TTLs and the memory of some keys are read in one round trip. */
  async add(handle: ConnectionHandle, keys: readonly Key[]): Promise<void> {
    const commands: ReadCommand[] = [];
    const handlers: ((reply: unknown) => void)[] = [];
    const read = (command: ReadCommand, handler: (reply: unknown) => void): void => {
      commands.push(command);
      handlers.push(handler);
    };
    const fresh = keys.filter((key) => this.isNew(key));
    const settled = await identifyKeys(handle.background, this.catalog, fresh);
    for (const [i, key] of fresh.entries()) {
      const { type } = settled[i]!;
      const counts = this.countsOf(key, settled[i]!);
      if (!counts) continue;
      counts.keys += 1;
      if (type !== null) counts.addType(type);
      else read(['TYPE', key], (reply) => counts.addType(reply));
      read(['PTTL', key], (reply) => counts.addTtl(reply));
      if (counts.keys > MEASURED_FIRST && counts.keys % MEASURE_EVERY !== 0) continue;
      read(['MEMORY USAGE', key], (reply) => counts.addMemory(reply));
      if (counts.fieldNames.length === 0) continue;
      const lengths: unknown[] = [];
      for (const field of counts.fieldNames) read(['HSTRLEN', key, field], (reply) => lengths.push(reply));
      read(['HLEN', key], (reply) => counts.addHash(reply, lengths));
    }
    const replies = await handle.background.readMany(commands);
    replies.forEach((reply, i) => {
      handlers[i]!(reply);
    });
  }

  families(): Record<string, FamilyCount> {
    return Object.fromEntries([...this.byFamily].map(([id, counts]) => [id, counts.finish()]));
  }
}

/** The result of one walk over the keyspace. */
export interface Walked {
  census: Census;
  ttls: Map<string, FamilyTtls>;
  counters: Key[];
  /** Null where the connection's applications have none. */
  variables: NameIndex | null;
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
    census: {
      ...{ startedAt, finishedAt, families: count.families(), unclassified, malformed },
      ...{ prefixes: count.prefixes.finish(), catalog: fingerprintOf(catalog) },
    },
    ttls: new Map([...byFamily].map(([id, { ttls }]) => [id, ttls.finish(finishedAt)])),
    counters,
    variables: catalog.role('variable') ? { at: startedAt, names } : null,
  };
};
