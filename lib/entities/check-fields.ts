import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import { jsonObject } from './json-object';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** A longer value is no id and no number. */
const MAX_VALUE_BYTES = 8192;
const MAX_JSON_BYTES = 64 * 1024;

export interface FieldsOfKey {
  key: Key;
  family: string;
  fields: readonly string[];
}

/** Values by name, without those that are missing or empty; or why there are none. */
export type StoredFields = ReadonlyMap<string, Buffer> | 'none' | 'wrongType' | 'unreadable';

interface Asked extends FieldsOfKey {
  place: number;
}

const readHashes = async ({ reader }: Context, hashes: readonly Asked[], found: StoredFields[]) => {
  const asked = hashes.flatMap(({ key, fields, place }) => fields.map((field) => ({ key, field, place })));
  const lengths: readonly unknown[] = await reader.readMany(
    asked.map(({ key, field }) => ['HSTRLEN', key, field] as const),
  );
  const stored = asked.filter((_, i) => lengths[i] !== 0);
  const isShort = ({ key, field }: (typeof asked)[number]): boolean => {
    const length = lengths[asked.findIndex((one) => one.key === key && one.field === field)];
    return typeof length === 'number' && length <= MAX_VALUE_BYTES;
  };
  const short = stored.filter(isShort);
  const values = await reader.readMany(short.map(({ key, field }) => ['HGET', key, field] as const));
  for (const { place } of hashes) found[place] = new Map();
  for (const [i, { field, place }] of short.entries()) {
    const value = values[i];
    if (Buffer.isBuffer(value)) (found[place] as Map<string, Buffer>).set(field, value);
  }
};
