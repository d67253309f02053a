import 'server-only';
import { digestPair } from '@/lib/redis/distinct';
import { firstPart } from './key-name';
import type { KeyFacts } from './rule';
import type { Found } from './rule-counts';

/** Keys of each group: of a smaller one all. */
const PER_GROUP = 50;
/** Keys that are looked at, with those that leave the sample again. */
const MAX_KEYS = 10_000;
/** Prefixes of keys without a family; all further ones are one group. */
const MAX_PREFIXES = 500;
const PREFIX_LENGTH = 64;
/** A longer name is no example. */
const MAX_NAME_BYTES = 1024;
/** The same in each process, so that a check finds what the check before it found. */
const SEEDS = [0x811c9dc5, 0x01000193] as const;

/** What was found in a key; without its name where that is long. */
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
 * Chooses the keys whose values are searched: of each family or prefix those whose names have the lowest digests. Which
 * they are does not depend on the order of the keys, which differs from scan to scan of several servers. While keys are
 * walked each is looked at that is one of them so far, and what was found in it counts while it stays one.
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

  /** Counts what was found in a key that was taken, unless others have taken its place. */
  add({ key, found }: Pick<KeyFacts, 'key' | 'found'>, fault: Omit<Found, 'key'>): void {
    const { digests, faults } = this.groupOf({ key, found });
    const digest = digestOf(key);
    if (!digests.includes(digest)) return;
    faults.set(digest, { ...fault, key: key.length > MAX_NAME_BYTES ? null : Buffer.from(key) });
  }

  /** What was found in the keys of the sample. */
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
