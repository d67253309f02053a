import 'server-only';
import { createHash } from 'node:crypto';
import type { ReadContext } from '@/lib/command/context';
import type { Purpose } from '@/lib/redis/client';
import { type CommonType, isCommonType, type Key, lengthCommand } from '@/lib/redis/commands';
import { readScript } from '@/lib/redis/read-script';
import type { CollectionScan, Reader, StringValue } from '@/lib/redis/reader';

/** A key's type and content, as its etag covers them. */
export interface KeyState {
  type: string;
  /** Bytes of a string, elements of a collection; null for types of modules. */
  length: number | null;
  /** Hex SHA-1 of the complete content; '' where it is large, and for types of modules. Never send it to a client. */
  digest: string;
}

/** `purpose`: that of a background pass, for the script. */
type Context = Pick<ReadContext, 'connection' | 'reader'> & { purpose?: Purpose };

/** The limits of `include/key-digest.lua`. */
const MAX_DIGEST_BYTES = 2 ** 20;
const MAX_DIGEST_ELEMENTS = 1000;

type Collection = Exclude<CommonType, 'string'>;

const isCollection = (type: string): type is Collection => type !== 'string' && isCommonType(type);

const sha1 = (bytes: Uint8Array | string): string => createHash('sha1').update(bytes).digest('hex');

const frame = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from(`${bytes.length}:`), bytes]);
const framesOf = (parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts.map(frame));

const unordered = (parts: readonly Buffer[], each: 1 | 2): Buffer => {
  const elements = Array.from({ length: parts.length / each }, (_, i) =>
    parts.slice(i * each, (i + 1) * each),
  );
  return Buffer.from([...new Set(elements.map((element) => sha1(framesOf(element))))].sort().join(''));
};

/** All elements of a small hash or set. */
const scanAll = async (reader: Reader, command: CollectionScan, key: Key): Promise<Buffer[]> => {
  const found: Buffer[] = [];
  let cursor = '0';
  do {
    const page = await reader.scanCollection(command, key, cursor, { count: MAX_DIGEST_ELEMENTS });
    found.push(...page.elements);
    cursor = page.cursor;
  } while (cursor !== '0' && found.length <= 4 * MAX_DIGEST_ELEMENTS);
  return found;
};

const CONTENTS: Record<Collection, (reader: Reader, key: Key) => Promise<Buffer>> = {
  hash: async (reader, key) => unordered(await scanAll(reader, 'HSCAN', key), 2),
  set: async (reader, key) => unordered(await scanAll(reader, 'SSCAN', key), 1),
  list: async (reader, key) => framesOf(await reader.range('LRANGE', key, 0, MAX_DIGEST_ELEMENTS)),
  zset: async (reader, key) => framesOf(await reader.range('ZRANGE', key, 0, MAX_DIGEST_ELEMENTS)),
  stream: async (reader, key) => {
    const entries = await reader.read(['XRANGE', key, '-', '+', 'COUNT', MAX_DIGEST_ELEMENTS]);
    return Buffer.concat(entries.flatMap(([id, fields]) => [frame(id), frame(framesOf(fields))]));
  },
};

const readByCommands = async (reader: Reader, key: Key, type: Collection): Promise<KeyState> => {
  const [length, bytes] = await reader.readMany([
    [lengthCommand(type)!, key],
    ['MEMORY USAGE', key, 'SAMPLES', 0],
  ]);
  if (length instanceof Error) throw length;
  const isSmall = length <= MAX_DIGEST_ELEMENTS && typeof bytes === 'number' && bytes <= MAX_DIGEST_BYTES;
  return { type, length, digest: isSmall ? sha1(await CONTENTS[type](reader, key)) : '' };
};

/** The state of a string that was read, at most 1 MiB of it. */
export const stringState = ({ bytes, length }: StringValue): KeyState => ({
  type: 'string',
  length,
  digest: bytes.length === length ? sha1(bytes) : '',
});

/** A string is sent to us in one call, which costs the server less than a digest of it. */
const readStringState = async (reader: Reader, key: Key): Promise<KeyState | null> => {
  const length = await reader.read(['STRLEN', key]);
  if (length > MAX_DIGEST_BYTES) return { type: 'string', length, digest: '' };
  const value = await reader.getString(key, MAX_DIGEST_BYTES);
  if (!value) return null;
  return stringState(value);
};

/**
 * The state of a key; null when it does not exist. Large values are not read: above 1 MiB, or above 1000 elements, the
 * digest is empty. Throws the server's WRONGTYPE if the key is replaced by another type meanwhile.
 */
export const readKeyState = async (
  { connection, reader, purpose }: Context,
  key: Key,
): Promise<KeyState | null> => {
  const type = await reader.read(['TYPE', key]);
  if (type === 'none') return null;
  if (type === 'string') return readStringState(reader, key);
  if (!isCollection(type)) return { type, length: null, digest: '' };
  const reply = await readScript(connection, 'key-state', [key], [], purpose);
  if (!reply) return readByCommands(reader, key, type);
  const [now, length, digest] = reply as [Buffer, number, Buffer];
  if (now.toString() === 'none') return null;
  return { type: now.toString(), length: length < 0 ? null : length, digest: digest.toString() };
};
