import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { cutOf } from '@/lib/key-values/etag';
import { accessOf } from '@/lib/key-values/value-access';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { partsOf } from '@/lib/keyspace/entity-ids';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { jsonObject } from '@/lib/values/json-object';
import { inBatches, readShortFields } from '@/lib/values/read-each';
import { showField } from './show';
import { namedBy } from './stored-fields';
import { keysExistOfEach, type NamedKey, recordKeys, storedKeys } from './stored-keys';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'reader'>;

export interface Reference {
  /** Null where its kind has no keys, or they cannot be read. */
  exists: boolean | null;
  title: string | null;
}

/** Longer titles are not read. */
const MAX_TITLE_BYTES = 1000;
const MAX_JSON_BYTES = 64 * 1024;
/** JSON records in memory at once. */
const JSON_BATCH = 32;

interface Located {
  exists: boolean | null;
  /** The key of the existing record. */
  record: NamedKey | null;
}

const hasKeys = ({ record, relations = [], conversation, keys }: EntityDefinition): boolean =>
  [record, conversation, keys].some((part) => part !== undefined) ||
  relations.some(({ from }) => 'members' in from);

const locate = async (ctx: Context, entity: EntityDefinition, ids: readonly string[]): Promise<Located[]> => {
  if (!hasKeys(entity)) return ids.map(() => ({ exists: null, record: null }));
  const keysOf = entity.record ? recordKeys : storedKeys;
  const named = ids.map((id): NamedKey[] => {
    const parts = partsOf(entity, id);
    return parts ? keysOf(ctx.catalog, entity, parts) : [];
  });
  const exist = await keysExistOfEach(ctx, named);
  return named.map((keys, i) => {
    const own = exist[i]!;
    const place = own.indexOf(true);
    if (place >= 0) return { exists: true, record: entity.record ? keys[place]! : null };
    return { exists: own.includes(null) ? null : false, record: null };
  });
};

/** The values of title fields by name; null for a key that is not a hash. */
type Titles = Map<string, Buffer> | null;

const titlesOfHashes = async (
  { reader }: Context,
  keys: readonly Key[],
  fields: readonly string[],
): Promise<Titles[]> => {
  const hashes = keys.map((key) => ({ key, fields }));
  const read = await readShortFields(reader, hashes, MAX_TITLE_BYTES);
  return read.map((values) => (values.some((value) => isWrongType(value)) ? null : namedBy(fields, values)));
};

const titlesOfObjects = (
  { reader }: Context,
  keys: readonly Key[],
  fields: readonly string[],
): Promise<Map<string, Buffer>[]> =>
  inBatches(keys, JSON_BATCH, async (batch) => {
    const values = await reader.getStrings(batch, MAX_JSON_BYTES);
    return values.map((value) => {
      const object = value instanceof Error || value === null ? null : jsonObject(value);
      const own = fields.map((field) => object?.get(field) ?? null);
      return namedBy(
        fields,
        own.map((bytes) => (bytes && bytes.length <= MAX_TITLE_BYTES ? bytes : null)),
      );
    });
  });

/** The non-empty title fields of records, in order, masked like in the key inspector. */
export const readTitles = async (
  ctx: Context,
  records: readonly NamedKey[],
  fields: readonly string[],
): Promise<string[][]> => {
  const keys = records.map(({ key }) => key);
  const ofHashes = await titlesOfHashes(ctx, keys, fields);
  const others = keys.filter((_, i) => ofHashes[i] === null);
  const ofObjects = (await titlesOfObjects(ctx, others, fields)).values();
  const titles: string[][] = [];
  for (const [i, record] of records.entries()) {
    const values = ofHashes[i] ?? ofObjects.next().value!;
    const access = accessOf(ctx, record);
    const own: string[] = [];
    for (const field of fields) {
      const bytes = values.get(field);
      if (!bytes || bytes.length === 0) continue;
      const { value } = await showField(field, cutOf(bytes), { catalog: ctx.catalog, access });
      if (value !== null) own.push(value);
    }
    titles.push(own);
  }
  return titles;
};

/**
 * Whether records of ids are stored, in order, without titles; without a record, whether any of their keys is. False
 * for a text that cannot be an id.
 */
export const existsMany = async (
  ctx: Context,
  entity: EntityDefinition,
  ids: readonly string[],
): Promise<(boolean | null)[]> => (await locate(ctx, entity, ids)).map(({ exists }) => exists);

/** Like `existsMany`, with the titles of the records. In a few round trips, whatever their number. */
export const readRefs = async (
  ctx: Context,
  entity: EntityDefinition,
  ids: readonly string[],
): Promise<Reference[]> => {
  const located = await locate(ctx, entity, ids);
  const records = located.flatMap(({ record }) => record ?? []);
  const titles = (await readTitles(ctx, records, entity.record?.title ?? [])).values();
  return located.map(({ exists, record }) => ({
    exists,
    title: record ? (titles.next().value![0] ?? null) : null,
  }));
};
