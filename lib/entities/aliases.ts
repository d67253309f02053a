import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { ALIAS, type EntityDefinition, type KeySource } from '@/lib/keyspace/entities';
import { canonicalId } from '@/lib/keyspace/entity-ids';
import { textOf } from '@/lib/values/string-value';
import { type FieldsOfKey, readRecordValues, readStoredFields } from './stored-fields';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** Whether keys of this source contain the record's alias, which is a secret. */
export const isByAlias = ({ params }: KeySource): boolean => Object.values(params).includes(ALIAS);

/** The fields of the alias joined, which is a secret; null where a field is missing. */
export const aliasOf = (entity: EntityDefinition, values: ReadonlyMap<string, Buffer>): string | null => {
  const fields = entity.record?.alias?.fields ?? [];
  const texts = fields.map((field) => textOf(values.get(field) ?? Buffer.alloc(0)));
  return texts.length === 0 || texts.some((text) => !text) ? null : texts.join('');
};

/** The aliases of entities, in order; null where the record lacks a field. */
export const readAliases = async (
  ctx: Context,
  all: readonly { target: EntityDefinition; id: string }[],
): Promise<(string | null)[]> => {
  const records = await readRecordValues(
    ctx,
    all.map(({ target: entity, id }) => ({ entity, id, fields: entity.record?.alias?.fields ?? [] })),
  );
  return records.map((record, i) => record && aliasOf(all[i]!.target, record.values));
};

/**
 * The ids of the entities with these aliases, in order, by the records under the aliases. Null without a record: the
 * alias alone does not show where one field ends.
 */
export const idsOfAliases = async (
  ctx: Context,
  all: readonly { owner: EntityDefinition; alias: string }[],
): Promise<(string | null)[]> => {
  const records = all.map(({ owner: { record }, alias }): FieldsOfKey | null => {
    const family = record?.alias && ctx.catalog.get(record.alias.family);
    if (!record?.alias || !family || record.idField === undefined) return null;
    try {
      const key = family.key({ [record.alias.param]: alias });
      return { key, family: family.id, fields: [record.idField] };
    } catch {
      return null;
    }
  });
  const values = (
    await readStoredFields(
      ctx,
      records.filter((record) => record !== null),
    )
  ).values();
  return records.map((record, i) => {
    const [value] = record ? values.next().value!.values.values() : [];
    const text = value ? textOf(value) : null;
    return text === null ? null : canonicalId(all[i]!.owner, text);
  });
};
