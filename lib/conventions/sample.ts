import 'server-only';
import { firstPart } from './key-name';
import type { KeyFacts } from './rule';

const FIRST = 20;
const EVERY = 50;
const MAX_PER_GROUP = 200;
const MAX_KEYS = 10_000;
/** Prefixes of keys without a family; all further ones are one group. */
const MAX_PREFIXES = 500;
const PREFIX_LENGTH = 64;

/** Chooses the keys whose values are searched: of each family or prefix the first and every fiftieth, bounded. */
export class Sample {
  private keys = 0;
  private prefixes = 0;
  private readonly seen = new Map<string, number>();
  private readonly taken = new Map<string, number>();

  takes(facts: Pick<KeyFacts, 'key' | 'found'>): boolean {
    const group = this.groupOf(facts);
    const count = (this.seen.get(group) ?? 0) + 1;
    this.seen.set(group, count);
    const taken = this.taken.get(group) ?? 0;
    if (this.keys >= MAX_KEYS || taken >= MAX_PER_GROUP) return false;
    if (count > FIRST && count % EVERY !== 0) return false;
    this.keys += 1;
    this.taken.set(group, taken + 1);
    return true;
  }

  private groupOf(facts: Pick<KeyFacts, 'key' | 'found'>): string {
    const { family } = facts.found;
    if (family) return family.id;
    const group = `:${firstPart(facts).slice(0, PREFIX_LENGTH)}`;
    if (this.seen.has(group)) return group;
    if (this.prefixes >= MAX_PREFIXES) return ':';
    this.prefixes += 1;
    return group;
  }
}
