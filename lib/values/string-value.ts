import 'server-only';
import { digest } from '@/lib/keyring';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';
import { ttlSeconds } from '@/lib/time';

/** A key that should hold a string, as an editor sees it. */
export interface StoredValue {
  key: Key;
  /** Redis' own type, `string` where all is well; `UNREADABLE` where the Redis user may not read this key. */
  type: string;
  /** At most `maxBytes` of the value; empty where the type is another. */
  bytes: Buffer;
  /** Of the whole value, in bytes. */
  length: number;
  ttlSeconds: number | null;
  /** Changes with the type and the value, and says nothing of it. */
  etag: string;
}

export const UNREADABLE = 'unreadable';

/** Why a value that is no string cannot be used as one. */
export const noString = (type: string): string =>
  type === UNREADABLE
    ? 'The Redis user of this connection may not read its key.'
    : `Its key holds a ${type}, not a string.`;

/** Bytes of a value that are read for a list: more than any value people write by hand. */
export const LISTED_BYTES = 64 * 1024;

/** Under the console's own key: an etag cannot be used to guess a secret. */
export const etagOf = (type: string, length: number, bytes: Buffer): string =>
  digest('etag', Buffer.concat([Buffer.from(`${type}\0${length}\0`), bytes]), 27);

const COMMANDS = 4;

const commandsOf = (key: Key, maxBytes: number): ReadCommand[] => [
  ['TYPE', key],
  ['PTTL', key],
  ['STRLEN', key],
  ['GETRANGE', key, 0, maxBytes - 1],
];

const orElse = <T>(reply: unknown, fallback: T): T => (reply instanceof Error ? fallback : (reply as T));

/**
 * Values of string keys in one round trip, in order; null where there is no such key. A key of another type, and one
 * that may not be read, is told as such, never an error. Beyond `maxBytes` the etag covers the length and the part read.
 */
export const readValues = async (
  reader: Reader,
  keys: readonly Key[],
  maxBytes = LISTED_BYTES,
): Promise<(StoredValue | null)[]> => {
  const replies: readonly unknown[] = await reader.readMany(keys.flatMap((key) => commandsOf(key, maxBytes)));
  return keys.map((key, index) => {
    const [reply, pttl, length, bytes] = replies.slice(index * COMMANDS, (index + 1) * COMMANDS);
    const type = orElse<string>(reply, UNREADABLE);
    const ttl = ttlSeconds(orElse(pttl, -1));
    if (type === 'none' || ttl === undefined) return null;
    const value = { length: orElse(length, 0), bytes: orElse(bytes, Buffer.alloc(0)) };
    return { key, type, ttlSeconds: ttl, etag: etagOf(type, value.length, value.bytes), ...value };
  });
};

export const readValue = async (
  reader: Reader,
  key: Key,
  maxBytes = LISTED_BYTES,
): Promise<StoredValue | null> => (await readValues(reader, [key], maxBytes))[0] ?? null;

/** Text of bytes, or null when they are not UTF-8. */
export const textOf = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};
