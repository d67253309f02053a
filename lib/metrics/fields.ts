import 'server-only';
import type { Purpose } from '@/lib/redis/client';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readScript } from '@/lib/redis/read-script';
import type { Reader } from '@/lib/redis/reader';
import { type Figure, figureOf } from './figure';
import { MAX_FIELDS } from './schema';

/** A field of statistics as it is stored. Its name is cut, and then `isWhole` is false. */
export interface StoredField extends Figure {
  field: Buffer;
  isWhole: boolean;
}

/** What reads: its commands wait as those of `reader`, its scripts as those of `purpose`. */
export interface Source {
  handle: ConnectionHandle;
  reader: Reader;
  purpose: Purpose;
}

/** The names of a hash with more fields are not put in order. */
export const MAX_ORDERED_FIELDS = 1000;
/** Names alone could be this large; statistics have a few kilobytes. */
const MAX_HASH_BYTES = 16 * 2 ** 20;
/** Without scripts values arrive uncut. */
const MAX_PLAIN_BYTES = 2 ** 20;
/** Bytes of a name or a value that are read. */
const SHOWN_BYTES = 256;

const storedField = (field: Buffer, length: number, value: Buffer, valueLength: number): StoredField => ({
  ...figureOf(value, valueLength),
  field,
  isWhole: field.length === length,
});

const byScript = async ({ handle, purpose }: Source, key: Key): Promise<StoredField[] | null> => {
  const args = ['FIELDS', 0, MAX_FIELDS, SHOWN_BYTES, SHOWN_BYTES, ''];
  const reply = await readScript(handle, 'read-elements', [key], args, purpose);
  if (!reply) return null;
  const [, ...elements] = reply as [Buffer, ...[Buffer, number, Buffer, number][]];
  return elements.map((element) => storedField(...element));
};

const cut = (bytes: Buffer): Buffer => bytes.subarray(0, SHOWN_BYTES);

/** Redis 6.2 has no read-only scripts: the first page of a small hash. */
const byCommand = async ({ reader }: Source, key: Key): Promise<StoredField[]> => {
  const { elements } = await reader.scanCollection('HSCAN', key, '0', { count: MAX_FIELDS });
  const fields: StoredField[] = [];
  for (let i = 0; i + 1 < elements.length; i += 2) {
    const [field, value] = [elements[i]!, elements[i + 1]!];
    fields.push(storedField(cut(field), field.length, cut(value), value.length));
  }
  return fields.sort((a, b) => Buffer.compare(a.field, b.field)).slice(0, MAX_FIELDS);
};

/**
 * The first fields of a hash in the order of their names; values are cut before they leave the server. Null where the
 * hash is too large to be statistics, or its size is not known. Throws the server's refusal.
 */
export const readFields = async (source: Source, key: Key, length: number): Promise<StoredField[] | null> => {
  if (length > MAX_ORDERED_FIELDS) return null;
  // Measures all fields, because an estimate may miss one large value among small ones.
  const bytes = await source.reader.read(['MEMORY USAGE', key, 'SAMPLES', 0]);
  if (bytes === null || bytes > MAX_HASH_BYTES) return null;
  const found = await byScript(source, key);
  if (found) return found;
  return bytes > MAX_PLAIN_BYTES ? null : byCommand(source, key);
};
