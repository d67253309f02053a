import 'server-only';
import { digestPair } from '@/lib/redis/distinct';
import { firstPart } from './key-name';
import type { KeyFacts } from './rule';
import type { Found } from './rule-counts';

/** Keys per group; a smaller group is complete. */
const PER_GROUP = 50;
/** Keys that are read, including those that leave the sample again. */
const MAX_KEYS = 10_000;
/** Prefixes of keys without a family; all further ones form one group. */
const MAX_PREFIXES = 500;
const PREFIX_LENGTH = 64;
/** Longer names are no examples. */
const MAX_NAME_BYTES = 1024;
/** Constant, so that the next check finds the same keys. */
const SEEDS = [0x811c9dc5, 0x01000193] as const;

/** The fault found in a key; without its name where that is long. */
export type SampledFault = Omit<Found, 'key'> & { key: Found['key'] | null };

/** The keys of one family or prefix with the lowest digests. */
interface Group {
  /** Ascending. */
  digests: number[];
  faults: Map<number, SampledFault>;
}

const digestOf = (key: Buffer): number => {
  const [high, low] = digestPair(key, SEEDS);
  return high * 2 ** 21 + (low >>> 11);
};

/**
 * Chooses the keys whose values are searched: in each family or prefix the keys with the lowest digests. The choice
 * does not depend on the order of the keys, which varies between scans of several servers. During the walk each key
 * that belongs to the sample so far is read, and its fault counts as long as it stays in the sample.
 */
export class Sample {
  private looked = 0;
  private prefixes = 0;
  private readonly groups = new Map<string, Group>();

  takes({ key, found }: Pick<KeyFacts, 'key' | 'found'>): boolean {
    const { digests, faults } = this.groupOf({ key, found });
    const digest = digestOf(key);
    if (this.looked >= MAX_KEYS || (digests.length === PER_GROUP && digest >= digests.at(-1)!)) return false;
    this.looked += 1;
    const above = digests.findIndex((other) => other > digest);
    digests.splice(above < 0 ? digests.length : above, 0, digest);
    if (digests.length > PER_GROUP) faults.delete(digests.pop()!);
    return true;
  }

  /** Records the fault of a sampled key, unless other keys have taken its place. */
  add({ key, found }: Pick<KeyFacts, 'key' | 'found'>, fault: Omit<Found, 'key'>): void {
    const { digests, faults } = this.groupOf({ key, found });
    const digest = digestOf(key);
    if (!digests.includes(digest)) return;
    faults.set(digest, { ...fault, key: key.length > MAX_NAME_BYTES ? null : Buffer.from(key) });
  }

  faults(): SampledFault[] {
    return [...this.groups.values()].flatMap(({ faults }) => [...faults.values()]);
  }

  private groupOf(facts: Pick<KeyFacts, 'key' | 'found'>): Group {
    const name = this.nameOf(facts);
    const group = this.groups.get(name) ?? { digests: [], faults: new Map() };
    this.groups.set(name, group);
    return group;
  }

  private nameOf(facts: Pick<KeyFacts, 'key' | 'found'>): string {
    const { family } = facts.found;
    if (family) return family.id;
    const name = `:${firstPart(facts).slice(0, PREFIX_LENGTH)}`;
    if (this.groups.has(name)) return name;
    if (this.prefixes >= MAX_PREFIXES) return ':';
    this.prefixes += 1;
    return name;
  }
}
