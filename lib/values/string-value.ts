import 'server-only';
import { digest } from '@/lib/keyring';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';
import { ttlSeconds } from '@/lib/time';

/** A key that should hold a string, as an editor sees it. */
export interface StoredValue {
  key: Key;
  /** Redis' own type; `string` where all is well. */
  type: string;
  /** At most `maxBytes` of the value; empty where the type is another. */
  bytes: Buffer;
  /** Of the whole value, in bytes. */
  length: number;
  ttlSeconds: number | null;
  /** Changes with the type and the value, and says nothing of it. */
  etag: string;
}

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

const orElse = <T>(reply: unknown, wrongType: T): T => (reply instanceof Error ? wrongType : (reply as T));

/**
 * Values of string keys in one round trip, in order; null where there is no such key. A key of another type is
 * told as such, never an error. Beyond `maxBytes` the etag covers the length and the part read.
 */
export const readValues = async (
  reader: Reader,
  keys: readonly Key[],
  maxBytes = LISTED_BYTES,
): Promise<(StoredValue | null)[]> => {
  const replies: readonly unknown[] = await reader.readMany(keys.flatMap((key) => commandsOf(key, maxBytes)));
  return keys.map((key, index) => {
    const [type, pttl, length, bytes] = replies.slice(index * COMMANDS, (index + 1) * COMMANDS);
    const ttl = ttlSeconds(orElse(pttl, -2));
    if (type instanceof Error || type === 'none' || ttl === undefined) return null;
    const value = { length: orElse(length, 0), bytes: orElse(bytes, Buffer.alloc(0)) };
    const etag = etagOf(type as string, value.length, value.bytes);
    return { key, type: type as string, ttlSeconds: ttl, etag, ...value };
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
