import 'server-only';
import { z } from 'zod';
import { familyTtls, TtlCounts } from '@/lib/history/family-ttls';
import { displayKey, displayUnclassified } from '@/lib/keyspace/display';
import { hasOwnPrefix, OWN_APP } from '@/lib/keyspace/guarded';
import type { Registry } from '@/lib/keyspace/registry';
import type { Collector, WalkedKeys, Wanted } from '@/lib/walk/collector';
import { PrefixCounts, storedPrefixes } from '@/lib/walk/prefix-counts';
import { Biggest, storedBigKey } from './biggest';
import { addTo, GroupCounts, newTotal, type ReadKey, storedGroup, type Total, total } from './group-counts';

const BIGGEST_OF_TYPE = 20;
/** Modules define their own types and names; all of them beyond this number share a row. */
const MAX_NAMES = 200;
const OTHER = 'other';

/** The type of keys that our Redis user may not read. */
const UNREADABLE = 'unreadable';

const rows = z.array(z.tuple([z.string(), total]));

/** The counts of an analysis that are stored half-way. */
export const storedCounts = z.object({
  exact: z.boolean(),
  all: storedGroup,
  families: z.array(z.tuple([z.string(), storedGroup])),
  types: rows,
  /** By type and encoding, separated by a space. */
  encodings: rows,
  malformed: total,
  own: total,
  unclassified: total,
  biggest: z.array(z.tuple([z.string(), z.array(storedBigKey)])),
  ttls: familyTtls,
  prefixes: storedPrefixes,
});
export type StoredCounts = z.output<typeof storedCounts>;

const addNamed = (sums: Map<string, Total>, name: string, bytes: number | null): void => {
  let sum = sums.get(name);
  if (!sum) {
    const shown = sums.size < MAX_NAMES ? name : OTHER;
    sum = sums.get(shown) ?? newTotal();
    sums.set(shown, sum);
  }
  addTo(sum, bytes);
};

/**
 * Counts all keys of a walk for an analysis. Its memory depends on the catalog only: it retains the bytes of the
 * biggest keys alone.
 */
export class AnalysisCollector implements Collector {
  readonly wants: Wanted;
  readonly exact: boolean;
  /** All keys except the console's own. */
  readonly all: GroupCounts;
  readonly families: Map<string, GroupCounts>;
  readonly types: Map<string, Total>;
  readonly encodings: Map<string, Total>;
  readonly malformed: Total;
  readonly own: Total;
  readonly unclassified: Total;
  readonly prefixes: PrefixCounts;
  /** By type. */
  readonly biggest: Map<string, Biggest>;
  private readonly ttls: TtlCounts;
  private readonly catalog: Registry;
  private readAt: number;

  constructor(catalog: Registry, { exact, stored }: { exact: boolean; stored?: StoredCounts }) {
    this.catalog = catalog;
    this.exact = exact;
    const extent = exact ? 'all' : 'sample';
    this.wants = { memory: exact ? 'exact' : 'all', lengths: extent, encodings: extent, idle: extent };
    this.all = new GroupCounts(stored?.all);
    this.families = new Map(stored?.families.map(([id, group]) => [id, new GroupCounts(group)]));
    this.types = new Map(stored?.types);
    this.encodings = new Map(stored?.encodings);
    this.malformed = stored?.malformed ?? newTotal();
    this.own = stored?.own ?? newTotal();
    this.unclassified = stored?.unclassified ?? newTotal();
    this.prefixes = new PrefixCounts(stored?.prefixes);
    this.biggest = new Map(stored?.biggest.map(([type, keys]) => [type, new Biggest(BIGGEST_OF_TYPE, keys)]));
    this.ttls = new TtlCounts(stored?.ttls);
    this.readAt = stored?.ttls.countedAt ?? Date.now();
  }

  add(chunk: WalkedKeys): void {
    this.readAt = chunk.at;
    for (let i = 0; i < chunk.found.length; i++) {
      const memoryBytes = chunk.memory[i] ?? null;
      const { family, malformedOf, isSettled } = chunk.found[i]!;
      if (family?.app === OWN_APP || hasOwnPrefix(chunk.keys[i]!)) {
        addTo(this.own, memoryBytes);
        continue;
      }
      const read: ReadKey = {
        key: chunk.keys[i]!,
        family: family?.id ?? null,
        isSettled,
        type: chunk.types[i] || UNREADABLE,
        ttl: chunk.ttls[i]!,
        memoryBytes,
        length: chunk.lengths[i] ?? null,
        encoding: chunk.encodings[i] ?? null,
        idle: chunk.idle[i] ?? null,
      };
      this.addKey(read);
      if (family) this.countsOf(family.id).add(read);
      else this.addUnclassified(read);
      if (!family && malformedOf) addTo(this.malformed, memoryBytes);
    }
  }

  private addKey(read: ReadKey): void {
    const { type, encoding, memoryBytes, ttl } = read;
    this.all.add(read);
    if (!Number.isNaN(ttl)) this.ttls.add(ttl, this.readAt);
    addNamed(this.types, type, memoryBytes);
    if (encoding !== null) addNamed(this.encodings, `${type} ${encoding}`, memoryBytes);
    if (memoryBytes !== null) this.biggestOf(type).add(read, memoryBytes);
  }

  private addUnclassified({ key, isSettled, memoryBytes }: ReadKey): void {
    addTo(this.unclassified, memoryBytes);
    this.prefixes.add((isSettled ? displayUnclassified : displayKey)(key, this.catalog), memoryBytes ?? 0);
  }

  private countsOf(family: string): GroupCounts {
    const counts = this.families.get(family) ?? new GroupCounts();
    this.families.set(family, counts);
    return counts;
  }

  private biggestOf(type: string): Biggest {
    const name = this.biggest.has(type) || this.biggest.size < MAX_NAMES ? type : OTHER;
    const biggest = this.biggest.get(name) ?? new Biggest(BIGGEST_OF_TYPE);
    this.biggest.set(name, biggest);
    return biggest;
  }

  /** When all keys expire, and their remaining times. */
  expiries() {
    return this.ttls.finish(this.readAt);
  }

  /** All counts so far, from which another process can continue. */
  stored() {
    const { exact, all, malformed, own, unclassified } = this;
    return {
      exact,
      malformed,
      own,
      unclassified,
      all: all.stored(),
      families: [...this.families].map(([id, group]) => [id, group.stored()] as const),
      types: [...this.types],
      encodings: [...this.encodings],
      biggest: [...this.biggest].map(([type, keys]) => [type, keys.stored()] as const),
      ttls: this.ttls.finish(this.readAt),
      prefixes: this.prefixes.stored(),
    };
  }
}
