import 'server-only';
import {
  ALIAS,
  type EntityDefinition,
  type KeySource,
  type RelationDefinition,
} from '@/lib/catalog/entities';
import { canonicalId, partsOf } from '@/lib/catalog/entity-ids';
import type { ReadContext } from '@/lib/command/context';
import { textOf } from '@/lib/values/string-value';
import { readStoredFields, type StoredFields } from './check-fields';
import { type Contained, containsMany } from './contains';
import { aliasOf, type Subject } from './record';
import { keysOf, recordKeys } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** What several keys of one relation say together: one that has the member is enough. */
const together = (found: readonly Contained[]): Contained =>
  (['yes', 'unknown', 'no'] as const).find((one) => found.includes(one)) ??
  (found.length === 0 ? 'unknown' : 'absent');

/** Fields of the records of several entities, in order; undefined where none is stored. */
const recordFields = async (
  ctx: Context,
  target: EntityDefinition,
  ids: readonly string[],
  fields: readonly string[],
): Promise<(StoredFields | undefined)[]> => {
  const keys = ids.map((id) =>
    recordKeys(ctx.catalog, target, partsOf(target, id)!).map(({ key, family }) => ({
      ...{ key, family: family.id, fields },
    })),
  );
  const found = (await readStoredFields(ctx, keys.flat())).values();
  return keys.map((own) =>
    // The first that exists is the record.
    own.map(() => found.next().value!).find(({ type, fault }) => type !== null || fault !== null),
  );
};

const isByAlias = ({ params }: KeySource): boolean => Object.values(params).includes(ALIAS);

/** The aliases of entities, in order; null where the record does not have all of its fields. */
const aliasesOf = async (
  ctx: Context,
  target: EntityDefinition,
  ids: readonly string[],
): Promise<(string | null)[]> => {
  const records = await recordFields(ctx, target, ids, target.record?.alias?.fields ?? []);
  return records.map((record) => (record ? aliasOf(target, record.values) : null));
};

const bySources = async (
  ctx: Context,
  sources: readonly KeySource[],
  parts: readonly ReadonlyMap<string, string>[],
  member: string,
): Promise<Contained[]> => {
  const pairs = parts.map((own) => keysOf(ctx.catalog, sources, own).map(({ key }) => ({ key, member })));
  const found = (await containsMany(ctx, pairs.flat())).values();
  return pairs.map((own) => together(own.map(() => found.next().value!)));
};

const byMembers = async (
  ctx: Context,
  target: EntityDefinition,
  members: readonly KeySource[],
  [ids, member]: readonly [readonly string[], string],
): Promise<Contained[]> => {
  const parts = ids.map((id) => partsOf(target, id)!);
  const plain = members.filter((source) => !isByAlias(source));
  const found = await bySources(ctx, plain, parts, member);
  const aliased = members.filter(isByAlias);
  if (aliased.length === 0) return found;
  // Aliases are fields of records: they are read only where they may change the answer.
  const places = found.flatMap((one, i) => (one === 'yes' ? [] : [i]));
  const aliases = await aliasesOf(
    ctx,
    target,
    places.map((i) => ids[i]!),
  );
  const others = places.map((i, at) => {
    const alias = aliases[at];
    return alias == null ? parts[i]! : new Map([...parts[i]!, [ALIAS, alias]]);
  });
  const more = await bySources(ctx, aliased, others, member);
  for (const [at, i] of places.entries())
    if (aliases[at] != null) found[i] = together([found[i]!, more[at]!]);
  return found;
};

/**
 * Whether the entities of these ids, which are stored, lead back to an entity by a relation of theirs, in order. `absent`:
 * that relation of theirs is not stored. Unknown for relations that are neither members nor a field.
 */
export const leadBack = async (
  ctx: Context,
  target: EntityDefinition,
  inverse: RelationDefinition,
  ids: readonly string[],
  { entity, id: own }: Pick<Subject, 'entity' | 'id'>,
): Promise<Contained[]> => {
  const { from } = inverse;
  if ('members' in from) return byMembers(ctx, target, from.members, [ids, own]);
  if (!('field' in from)) return ids.map(() => 'unknown');
  const records = await recordFields(ctx, target, ids, [from.field]);
  return records.map((record) => {
    const value = record?.values.get(from.field);
    const text = value && textOf(value);
    // A field that is missing names nobody else.
    if (!text) return 'unknown';
    return canonicalId(entity, text) === own ? 'yes' : 'no';
  });
};
