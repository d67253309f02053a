import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { flagSource } from './flag-source';
import { type IndexedNames, MAX_INDEXED_NAMES, type NameIndex } from './name-index';
import { nameInKey } from './named-keys';

/** Collects the names of all variables and flags during a walk over the keyspace. */
export class WalkedNames {
  private readonly families = new Map<IndexedNames, Family>();
  /** At most one more than `MAX_INDEXED_NAMES`: with that many, none are indexed. */
  private readonly names = new Map<Family, string[]>();

  constructor(catalog: Registry) {
    const variables = catalog.role('variable');
    if (variables) this.families.set('variable', variables);
    const flags = flagSource(catalog);
    if (flags) this.families.set(flags.index, flags.family);
    for (const family of this.families.values()) this.names.set(family, []);
  }

  /** Malformed names are names too, as in `keyNamed`. */
  add(key: Key, { family, malformedOf }: Pick<IdentifiedKey, 'family' | 'malformedOf'>): void {
    const owner = family ?? malformedOf;
    const names = owner && this.names.get(owner);
    if (names && names.length <= MAX_INDEXED_NAMES) names.push(nameInKey(owner, key));
  }

  /** `at`: when the walk began, epoch ms. Without a family in the catalog an index is absent. */
  finish(at: number): Partial<Record<IndexedNames, NameIndex>> {
    return Object.fromEntries(
      [...this.families].map(([kind, family]) => [kind, { at, names: this.names.get(family) ?? [] }]),
    );
  }
}
