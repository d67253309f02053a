import 'server-only';
import { ALIAS, type EntityDefinition, type RelationDefinition } from '@/lib/catalog/entities';
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

/** The parts of ids, with the alias of the record where keys of the relation are named by it. */
const partsWithAlias = async (
  ctx: Context,
  target: EntityDefinition,
  { from }: RelationDefinition,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>[]> => {
  const parts = ids.map((id) => partsOf(target, id)!);
  const isByAlias =
    'members' in from && from.members.some(({ params }) => Object.values(params).includes(ALIAS));
  if (!isByAlias) return parts;
  const records = await recordFields(ctx, target, ids, target.record?.alias?.fields ?? []);
  return parts.map((own, i) => {
    const values = records[i]?.values;
    const alias = values ? aliasOf(target, values) : null;
    return alias === null ? own : new Map([...own, [ALIAS, alias]]);
  });
};

const byMembers = async (
  ctx: Context,
  target: EntityDefinition,
  inverse: RelationDefinition,
  [ids, member]: readonly [readonly string[], string],
): Promise<Contained[]> => {
  const sources = 'members' in inverse.from ? inverse.from.members : [];
  const parts = await partsWithAlias(ctx, target, inverse, ids);
  const pairs = parts.map((own) => keysOf(ctx.catalog, sources, own).map(({ key }) => ({ key, member })));
  const found = (await containsMany(ctx, pairs.flat())).values();
  return pairs.map((own) => together(own.map(() => found.next().value!)));
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
  if ('members' in from) return byMembers(ctx, target, inverse, [ids, own]);
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
