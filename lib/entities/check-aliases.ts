import 'server-only';
import { ALIAS, type EntityDefinition, type KeySource } from '@/lib/catalog/entities';
import { canonicalId, partsOf } from '@/lib/catalog/entity-ids';
import type { ReadContext } from '@/lib/command/context';
import { textOf } from '@/lib/values/string-value';
import { type FieldsOfKey, readStoredFields } from './check-fields';
import { aliasOf } from './record';
import { recordKeys } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** Whether keys of this source are named by the alias of a record, which is a secret. */
export const isByAlias = ({ params }: KeySource): boolean => Object.values(params).includes(ALIAS);

/** The aliases of entities, in order; null where the record does not have all of its fields. */
export const readAliases = async (
  ctx: Context,
  all: readonly { target: EntityDefinition; id: string }[],
): Promise<(string | null)[]> => {
  const records = all.map(({ target, id }): FieldsOfKey[] => {
    const fields = target.record?.alias?.fields ?? [];
    const named = recordKeys(ctx.catalog, target, partsOf(target, id)!);
    return named.map(({ key, family }) => ({ key, family: family.id, fields }));
  });
  const found = (await readStoredFields(ctx, records.flat())).values();
  return records.map((own, i) => {
    const record = own
      .map(() => found.next().value!)
      .find(({ type, fault }) => type !== null || fault !== null);
    return record ? aliasOf(all[i]!.target, record.values) : null;
  });
};

/** The ids of the entities that have these aliases, in order, as the records under the aliases say. */
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
  const found = (
    await readStoredFields(
      ctx,
      records.filter((record) => record !== null),
    )
  ).values();
  return records.map((record, i) => {
    const [value] = record ? found.next().value!.values.values() : [];
    const text = value ? textOf(value) : null;
    return text === null ? null : canonicalId(all[i]!.owner, text);
  });
};
