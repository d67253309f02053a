import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { EntityDefinition, KeySource } from '@/lib/keyspace/entities';
import { sourceKey } from '@/lib/keyspace/entity-ids';
import type { Family, Params } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { readEach } from '@/lib/values/read-each';

/** A key composed from an entity's id. */
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

/**
 * The values of parameters under the names of an entity's parts; null where one is missing, or two
 * with one name differ.
 */
export const namedParts = (
  names: Readonly<Record<string, string>>,
  params: Readonly<Params>,
): Record<string, string> | null => {
  const parts: Record<string, string> = {};
  for (const [param, name] of Object.entries(names)) {
    const value = params[param];
    if (value === undefined || (Object.hasOwn(parts, name) && parts[name] !== value)) return null;
    parts[name] = value;
  }
  return parts;
};

/** The keys that may hold an entity's record, in the order of the catalog. */
export const recordKeys = (
  catalog: Registry,
  { record }: EntityDefinition,
  parts: ReadonlyMap<string, string>,
): NamedKey[] => keysOf(catalog, record?.keys ?? [], parts);

export const memberSources = ({ relations = [] }: EntityDefinition): KeySource[] =>
  relations.flatMap(({ from }) => ('members' in from ? from.members : []));

/** All keys determined completely by an entity's parts: its record, relations and messages, and further ones. */
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

/** The commands about a key: whether it exists or, if its name is ambiguous, the lengths of its identifying fields. */
const questionsOf = ({ key, family }: NamedKey): ReadCommand[] =>
  family.identifyingFields?.map((field) => ['HSTRLEN', key, field] as const) ?? [['EXISTS', key]];

const answerOf = (replies: readonly unknown[]): boolean | null => {
  // A key of another type belongs to something else.
  if (replies.some((reply) => isWrongType(reply))) return false;
  if (replies.some((reply) => reply instanceof Error)) return null;
  return replies.every((reply) => (reply as number) > 0);
};

/**
 * Whether keys exist, in order and in one round trip; null where unreadable. A key with an ambiguous name exists only
 * if it has its family's fields, as in `identifyKeys`.
 */
export const keysExist = async (
  { reader }: Pick<ReadContext, 'reader'>,
  keys: readonly NamedKey[],
): Promise<(boolean | null)[]> => (await readEach(reader, keys, questionsOf)).map(answerOf);

/** As `keysExist`, for the keys of each of several. */
export const keysExistOfEach = async (
  ctx: Pick<ReadContext, 'reader'>,
  keys: readonly (readonly NamedKey[])[],
): Promise<(boolean | null)[][]> => {
  const exist = (await keysExist(ctx, keys.flat())).values();
  return keys.map((own) => own.map(() => exist.next().value!));
};
