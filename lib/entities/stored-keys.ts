import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { EntityDefinition, KeySource } from '@/lib/keyspace/entities';
import { sourceKey } from '@/lib/keyspace/entity-ids';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';

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

/** What is asked about a key: whether it exists or, where its name is ambiguous, how long its identifying fields are. */
const questionsOf = ({ key, family }: NamedKey): ReadCommand[] =>
  family.identifyingFields?.map((field) => ['HSTRLEN', key, field] as const) ?? [['EXISTS', key]];

const answerOf = (replies: readonly unknown[]): boolean | null => {
  // A key of another type belongs to something else.
  if (replies.some((reply) => isWrongType(reply))) return false;
  if (replies.some((reply) => reply instanceof Error)) return null;
  return replies.every((reply) => (reply as number) > 0);
};

/**
 * Whether keys exist, in order and in one round trip; null where they cannot be read. A key whose name is ambiguous exists
 * only if it has the fields of its family, as `identifyKeys` decides it.
 */
export const keysExist = async (
  { reader }: Pick<ReadContext, 'reader'>,
  keys: readonly NamedKey[],
): Promise<(boolean | null)[]> => {
  const questions = keys.map(questionsOf);
  const replies: readonly unknown[] = await reader.readMany(questions.flat());
  let at = 0;
  return questions.map(({ length }) => {
    at += length;
    return answerOf(replies.slice(at - length, at));
  });
};
