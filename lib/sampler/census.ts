import 'server-only';
import { catalogOf } from '@/lib/command/context';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Census, FamilyCount } from '@/lib/history/census';
import type { FamilyTtls } from '@/lib/history/family-ttls';
import { counterOf } from '@/lib/hit-rates/counters';
import { displayKey, displayUnclassified } from '@/lib/keyspace/display';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Reader } from '@/lib/redis/reader';
import { WalkedNames } from '@/lib/values/walked-names';
import type { Collector, WalkedKeys, Wanted } from '@/lib/walk/collector';
import { PrefixCounts } from '@/lib/walk/prefix-counts';
import { joinWalk } from '@/lib/walk/shared-walk';
import { FamilyCounts } from './family-counts';

/** Number of keys measured per family, before only one in fifty is. */
const MEASURED_FIRST = 20;
const MEASURE_EVERY = 50;
/** Enough for a pair of hits and misses per family in several periods. */
const MAX_COUNTERS = 1000;

class CensusCounts {
  readonly byFamily = new Map<string, FamilyCounts>();
  /** The application's own counters of hits and misses. */
  readonly counters: Key[] = [];
  readonly names: WalkedNames;
  readonly prefixes = new PrefixCounts();
  unclassified = 0;
  malformed = 0;

  constructor(
    private readonly reader: Reader,
    private readonly catalog: Registry,
  ) {
    this.names = new WalkedNames(catalog);
  }

  /** The counts of a key's family; null for a key without a family. */
  private countsOf(key: Key, found: IdentifiedKey): FamilyCounts | null {
    const { family, malformedOf, isSettled } = found;
    this.names.add(key, found);
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

  private addCounter(key: Key): void {
    // A copy: the key is a view of its chunk.
    if (this.counters.length < MAX_COUNTERS && counterOf(this.catalog, key))
      this.counters.push(Buffer.from(key));
  }

  /** Counts a chunk; for some hashes also which fields they have, in one round trip. */
  async add(chunk: WalkedKeys): Promise<void> {
    const hashes: [FamilyCounts, Key][] = [];
    for (const [i, key] of chunk.keys.entries()) {
      const counts = this.countsOf(key, chunk.found[i]!);
      if (!counts) continue;
      counts.keys += 1;
      counts.addType(chunk.types[i]!);
      counts.addTtl(chunk.ttls[i]!, chunk.at);
      const memory = chunk.memory[i];
      if (counts.keys > MEASURED_FIRST && counts.keys % MEASURE_EVERY !== 0) continue;
      if (typeof memory === 'number') counts.addMemory(memory);
      if (counts.fieldNames.length > 0) hashes.push([counts, key]);
    }
    await this.addFields(hashes);
  }

  private async addFields(hashes: readonly (readonly [FamilyCounts, Key])[]): Promise<void> {
    const replies: readonly unknown[] = await this.reader.readMany(
      hashes.flatMap(([counts, key]): ReadCommand[] => [
        ...counts.fieldNames.map((field) => ['HSTRLEN', key, field] as const),
        ['HLEN', key],
      ]),
    );
    let at = 0;
    for (const [counts] of hashes) {
      const lengths = replies.slice(at, at + counts.fieldNames.length);
      at += lengths.length + 1;
      counts.addHash(replies[at - 1], lengths);
    }
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
  /** Names of variables and flags. */
  names: ReturnType<WalkedNames['finish']>;
}

/** Counts keys by family during a walk. */
export class CensusCollector implements Collector {
  readonly wants: Wanted = { memory: 'some' };
  private readonly startedAt = Date.now();
  private readonly catalog: Registry;
  private readonly counts: CensusCounts;

  constructor(handle: ConnectionHandle) {
    this.catalog = catalogOf(handle);
    this.counts = new CensusCounts(handle.background, this.catalog);
  }

  add(chunk: WalkedKeys): Promise<void> {
    return this.counts.add(chunk);
  }

  finish(): Walked {
    const { startedAt, catalog, counts } = this;
    const finishedAt = Date.now();
    const { unclassified, malformed, counters, byFamily } = counts;
    return {
      census: {
        startedAt,
        finishedAt,
        families: counts.families(),
        unclassified,
        malformed,
        prefixes: counts.prefixes.finish(),
        catalog: fingerprintOf(catalog),
      },
      ttls: new Map([...byFamily].map(([id, { ttls }]) => [id, ttls.finish(finishedAt)])),
      counters,
      names: counts.names.finish(startedAt),
    };
  }
}

/** Participates in a walk over the keyspace, within the connection's scan budget, and counts it by family. */
export const takeCensus = async (handle: ConnectionHandle, signal: AbortSignal): Promise<Walked> => {
  let collector: CensusCollector | undefined;
  const begin = () => {
    collector = new CensusCollector(handle);
    return collector;
  };
  await joinWalk(handle, { part: 'census', begin, signal });
  return collector!.finish();
};
