import 'server-only';
import type { EntityDefinition, KeySource } from '@/lib/catalog/entities';
import { sourceKey } from '@/lib/catalog/entity-ids';
import type { Family } from '@/lib/catalog/family';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** A key that an entity's id names. */
export interface NamedKey {
  key: Key;
  family: Family;
}

export const keysOf = (
  catalog: Registry,
  sources: readonly KeySource[],
  parts: ReadonlyMap<string, string>,
): NamedKey[] =>
  sources.flatMap((source) => {
    const key = sourceKey(catalog, source, parts);
    return key ? [{ key, family: catalog.mustGet(source.family) }] : [];
  });

/** The keys that may hold an entity's record, in the order of the catalog. */
export const recordKeys = (
  catalog: Registry,
  { record }: EntityDefinition,
  parts: ReadonlyMap<string, string>,
): NamedKey[] => keysOf(catalog, record?.keys ?? [], parts);

const memberSources = ({ relations = [] }: EntityDefinition): KeySource[] =>
  relations.flatMap(({ from }) => ('members' in from ? from.members : []));

/** All keys that an entity's parts name completely: of its record, its relations and its messages, and further ones. */
export const storedKeys = (
  catalog: Registry,
  entity: EntityDefinition,
  parts: ReadonlyMap<string, string>,
): NamedKey[] => {
  const seen = new Set<string>();
  const sources = [
    ...(entity.record?.keys ?? []),
    ...memberSources(entity),
    ...(entity.conversation?.keys ?? []),
    ...(entity.keys ?? []),
  ];
  return keysOf(catalog, sources, parts).filter(({ key }) => {
    const id = key.toString('latin1');
    return seen.has(id) ? false : seen.add(id);
  });
};

/**
 * Whether keys exist, in order; null where they cannot be read. A key whose name is ambiguous exists only if its type and
 * fields are those of its family.
 */
export const keysExist = async (
  { reader, catalog }: Context,
  keys: readonly NamedKey[],
): Promise<(boolean | null)[]> => {
  const found: (boolean | null)[] = keys.map(() => null);
  const isBare = ({ family }: NamedKey) => family.identifyingFields !== undefined;
  const [bare, plain] = [true, false].map((wanted) =>
    keys.flatMap((one, i) => (isBare(one) === wanted ? [{ ...one, i }] : [])),
  ) as [(NamedKey & { i: number })[], (NamedKey & { i: number })[]];
  const replies: readonly unknown[] = await reader.readMany(plain.map(({ key }) => ['EXISTS', key] as const));
  for (const [at, { i }] of plain.entries())
    found[i] = replies[at] instanceof Error ? null : replies[at] === 1;
  const identified = await identifyKeys(
    reader,
    catalog,
    bare.map(({ key }) => key),
  );
  for (const [at, { family, i }] of bare.entries()) {
    const { type, family: settled } = identified[at]!;
    found[i] = type === null ? null : settled?.id === family.id;
  }
  return found;
};
