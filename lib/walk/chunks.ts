import 'server-only';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { readSome } from './by-commands';
import type { WalkedKeys, Wanted } from './collector';
import { type Facts, factsOf, type ReadFacts, type Refusals } from './facts';

/** The number of keys per family read in detail; after them only every fiftieth is. */
const FIRST = 20;
const EVERY = 50;
const LARGE_BYTES = 2 ** 20;
/** Ten thousand elements take more memory, however short they are. */
const LONG_BYTES = 2 ** 14;

/** Prepares the chunks of one walk for its collectors. */
export class Chunks {
  private readonly isNew = distinct();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly catalog: Registry,
    private readonly refusals: Refusals,
  ) {}

  async next(read: ReadFacts, wants: readonly Wanted[]): Promise<WalkedKeys> {
    const { at } = read;
    const facts = this.fresh(read);
    const identified = await identifyKeys(this.handle.background, this.catalog, facts.keys, facts.types);
    const wantsSome = (name: 'memory' | 'lengths') => wants.some((want) => want[name] === 'some');
    await this.look(facts, identified, { memory: wantsSome('memory'), lengths: wantsSome('lengths') });
    return { ...facts, found: identified, at, refused: this.refusals.whyMissing };
  }

  /** Removes keys that SCAN repeated. */
  private fresh(read: ReadFacts): Facts {
    return factsOf(read, this.isNew);
  }

  private async look(
    facts: Facts,
    found: readonly IdentifiedKey[],
    wants: { memory: boolean; lengths: boolean },
  ): Promise<void> {
    if (!wants.memory && !wants.lengths) return;
    const places = { memory: [] as number[], lengths: [] as number[] };
    for (const [i, { family }] of found.entries()) {
      const id = family?.id ?? '';
      const count = (this.counts.get(id) ?? 0) + 1;
      this.counts.set(id, count);
      const large = facts.types[i] === 'string' ? LARGE_BYTES : LONG_BYTES;
      if (count > FIRST && count % EVERY !== 0 && (facts.memory[i] ?? 0) < large) continue;
      if (wants.memory && facts.memory[i] === null) places.memory.push(i);
      if (wants.lengths && facts.lengths[i] === null) places.lengths.push(i);
    }
    if (places.memory.length + places.lengths.length > 0)
      await readSome(this.handle, this.refusals, facts, places);
  }
}
