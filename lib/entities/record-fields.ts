import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { fallbackFor } from '@/lib/errors';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { firstFields } from '@/lib/key-values/first-fields';
import type { RawElement } from '@/lib/key-values/raw-elements';
import { rulesForFields } from '@/lib/key-values/secret-spans';
import type { DecodingBudget } from '@/lib/key-values/show-bytes';
import { displayBytes } from '@/lib/keyspace/display';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { MASK } from '@/lib/keyspace/mask';
import { isWrongType } from '@/lib/redis/failure';
import { isoOrNull } from '@/lib/time';
import { jsonObject } from '@/lib/values/json-object';
import { readTime } from '@/lib/values/read-time';
import type { StoredRecord } from './record';
import type { EntityView } from './schema';
import { showField, showMember } from './show';

type Context = Pick<ReadContext, 'connection' | 'catalog' | 'reader'>;
type Field = EntityView['fields'][number];

export interface RecordFields {
  fields: Field[];
  moreFields: boolean;
}

const MAX_FIELDS = 200;
const MAX_JSON_BYTES = 64 * 1024;
/** Maximum bytes of a value shown. */
const MAX_SHOWN_BYTES = 4096;
/** Limits for decoding the fields of a record. */
const MAX_DECODED_BYTES = 2 ** 20;
const MAX_DECODING_MS = 100;

interface RawField {
  name: Cut;
  value: Cut;
}

interface RawFields {
  fields: RawField[];
  more: boolean;
}

const NOTHING: RawFields = { fields: [], more: false };

const rawOf = ([name, value]: RawElement): RawField => ({ name: name!, value: value! });

const fieldsOfHash = async (ctx: Context, { key }: StoredRecord): Promise<RawFields> => {
  const { fields, total } = await firstFields(ctx, key, MAX_FIELDS);
  return { fields: fields.map(rawOf), more: total > fields.length };
};

const fieldsOfObject = async ({ reader }: Context, { key }: StoredRecord): Promise<RawFields> => {
  const value = await reader.getString(key, MAX_JSON_BYTES);
  const object = value && jsonObject(value);
  if (!object) return NOTHING;
  const fields = [...object].map(([name, bytes]) => ({
    name: cutOf(Buffer.from(name)),
    value: cutOf(bytes),
  }));
  return { fields: fields.slice(0, MAX_FIELDS), more: fields.length > MAX_FIELDS };
};

const readRaw = async (ctx: Context, record: StoredRecord): Promise<RawFields> => {
  if (record.fault !== null) return NOTHING;
  const fields = record.type === 'hash' ? fieldsOfHash(ctx, record) : fieldsOfObject(ctx, record);
  // The key may be replaced meanwhile.
  return fields.catch(fallbackFor(isWrongType, NOTHING));
};

/** A plain number is a time only if its field's name suggests one. */
const TIME_NAME = /(?:^|_)(?:at|time|date|seen|timestamp|created|updated)$|(?:At|Time|Date|Seen)$/;

const timeOf = (name: string, value: string | null): string | null =>
  value === null || (/^[\d.]+$/.test(value) && !TIME_NAME.test(name)) ? null : isoOrNull(readTime(value));

const shorter = ({ bytes, length }: Cut): Cut => ({ bytes: bytes.subarray(0, MAX_SHOWN_BYTES), length });

/** The record's fields in the catalog come first: its id, then its title. */
const inOrder = ({ record }: EntityDefinition, fields: readonly RawField[]): RawField[] => {
  const first = [...(record?.idField === undefined ? [] : [record.idField]), ...(record?.title ?? [])];
  const placeOf = ({ name }: RawField) => {
    const at = first.indexOf(name.bytes.toString('utf8'));
    return at < 0 ? first.length : at;
  };
  return [...fields].sort((a, b) => placeOf(a) - placeOf(b));
};

/** The fields of a record as the key inspector shows them: masked, cut, and at most 200. */
export const readRecordFields = async (
  ctx: Context,
  entity: EntityDefinition,
  record: StoredRecord,
): Promise<RecordFields> => {
  const { access } = record;
  if (access.hidden) return { fields: [], moreFields: true };
  const raw = await readRaw(ctx, record);
  const decoding: DecodingBudget = { bytesLeft: MAX_DECODED_BYTES, msLeft: MAX_DECODING_MS };
  const rules = rulesForFields(
    access.rules,
    raw.fields.map(({ name, value }) => [name, value]),
  );
  const options = { catalog: ctx.catalog, access: { ...access, rules }, decoding };
  const fields: Field[] = [];
  // Sequentially, because decoders need memory.
  for (const { name, value } of inOrder(entity, raw.fields)) {
    const shownName = await showMember(name, { ...options, access: { ...access, secretMembers: false } });
    const shown = await showField(name.bytes.toString('utf8'), shorter(value), options);
    fields.push({
      name: shownName.value ?? MASK,
      ...shown,
      time: timeOf(displayBytes(name.bytes), shown.masked ? null : shown.value),
      ref: null,
    });
  }
  return { fields, moreFields: raw.more };
};
