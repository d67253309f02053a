import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { partsOf } from '@/lib/keyspace/entity-ids';
import type { Key } from '@/lib/redis/commands';
import { jsonObject } from '@/lib/values/json-object';
import { readShortFields } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';
import { type NamedKey, recordKeys } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** Longer values are neither ids nor numbers. */
const MAX_VALUE_BYTES = 8192;
const MAX_JSON_BYTES = 64 * 1024;

export interface FieldsOfKey {
  key: Key;
  family: string;
  fields: readonly string[];
}

export interface StoredFields {
  /** As stored; null where the key is gone, or does not belong to its family. */
  type: string | null;
  /** `wrongType`: neither a hash nor a JSON object. */
  fault: 'wrongType' | 'unreadable' | null;
  /** Values by name, without missing and empty ones. */
  values: ReadonlyMap<string, Buffer>;
}

const NOTHING: ReadonlyMap<string, Buffer> = new Map();

/** Values that could be read, by the names of their fields. */
export const namedBy = (
  fields: readonly string[],
  values: readonly (Buffer | Error | null)[],
): Map<string, Buffer> =>
  new Map(
    fields.flatMap((field, i) => {
      const value = values[i];
      return Buffer.isBuffer(value) ? [[field, value] as const] : [];
    }),
  );

const readObjects = async ({ reader }: Context, objects: readonly FieldsOfKey[]): Promise<StoredFields[]> => {
  const values = await reader.getStrings(
    objects.map(({ key }) => key),
    MAX_JSON_BYTES,
  );
  return objects.map(({ fields }, i): StoredFields => {
    const value = values[i];
    if (value === null) return { type: null, fault: null, values: NOTHING };
    if (!value || value instanceof Error || value.bytes.length < value.length)
      return { type: 'string', fault: 'unreadable', values: NOTHING };
    const object = jsonObject(value);
    if (!object) return { type: 'string', fault: 'wrongType', values: NOTHING };
    const own = [...object].filter(([name, bytes]) => fields.includes(name) && bytes.length > 0);
    return { type: 'string', fault: null, values: new Map(own) };
  });
};

/** By TYPE; null for a key that is gone, or whose ambiguous name belongs to another family. */
const typesOf = async ({ catalog, reader }: Context, keys: readonly FieldsOfKey[]) => {
  const identified = await identifyKeys(
    reader,
    catalog,
    keys.map(({ key }) => key),
  );
  const plain = keys.filter((_, i) => identified[i]!.type === null);
  const replies = (await reader.readMany(plain.map(({ key }) => ['TYPE', key] as const))).values();
  return keys.map(({ family }, i): string | null | Error => {
    const { type, family: own } = identified[i]!;
    if (type !== null) return own?.id === family ? type : null;
    const reply = replies.next().value!;
    return reply === 'none' ? null : reply;
  });
};

/** Fields of records, in order: hashes, and JSON objects in strings. In a few round trips. */
export const readStoredFields = async (
  ctx: Context,
  keys: readonly FieldsOfKey[],
): Promise<StoredFields[]> => {
  const results = (await typesOf(ctx, keys)).map((type): StoredFields => {
    if (type instanceof Error) return { type: null, fault: 'unreadable', values: NOTHING };
    const isRecord = type === null || type === 'hash' || type === 'string';
    return { type, fault: isRecord ? null : 'wrongType', values: NOTHING };
  });
  const placesOf = (type: string) => keys.flatMap((_, i) => (results[i]!.type === type ? [i] : []));
  const [hashes, strings] = [placesOf('hash'), placesOf('string')];
  const [values, objects] = await Promise.all([
    readShortFields(
      ctx.reader,
      hashes.map((i) => keys[i]!),
      MAX_VALUE_BYTES,
    ),
    readObjects(
      ctx,
      strings.map((i) => keys[i]!),
    ),
  ]);
  for (const [at, i] of hashes.entries())
    results[i] = { ...results[i]!, values: namedBy(keys[i]!.fields, values[at]!) };
  for (const [at, i] of strings.entries()) results[i] = objects[at]!;
  return results;
};

/** The requested fields of an entity's record. */
interface FieldsOfRecord {
  entity: EntityDefinition;
  id: string;
  fields: readonly string[];
}

/** Fields of the records of entities, in order: of the first existing key; null where none exists. */
export const readRecordValues = async (
  ctx: Context,
  all: readonly FieldsOfRecord[],
): Promise<((NamedKey & StoredFields) | null)[]> => {
  const named = all.map(({ entity, id }) => recordKeys(ctx.catalog, entity, partsOf(entity, id)!));
  const asked = named.flatMap((keys, i) =>
    keys.map(({ key, family }) => ({ key, family: family.id, fields: all[i]!.fields })),
  );
  const fields = (await readStoredFields(ctx, asked)).values();
  return named.map((keys) => {
    const stored = keys.map((key) => ({ ...key, ...fields.next().value! }));
    return stored.find(({ type, fault }) => type !== null || fault !== null) ?? null;
  });
};

/** The number in a counting field; null where it contains none. */
export const countIn = (
  values: ReadonlyMap<string, Buffer> | undefined,
  field: string | undefined,
): number | null => {
  const stored = field === undefined ? undefined : values?.get(field);
  const text = stored && textOf(stored);
  return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
};
