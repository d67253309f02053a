import 'server-only';
import { digest } from '@/lib/keyring';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';
import { ttlSeconds } from '@/lib/time';
import { readEach } from './read-each';

/** A key that should hold a string. */
export interface StoredValue {
  key: Key;
  /** Redis type, or `UNREADABLE` if the Redis user may not read this key. */
  type: string;
  /** The first `maxBytes` of the value; empty for another type. */
  bytes: Buffer;
  /** Length of the full value in bytes. */
  length: number;
  ttlSeconds: number | null;
  /** Changes with type and value, and reveals nothing about the value. */
  etag: string;
}

export const UNREADABLE = 'unreadable';

/** Why a key that is not a string cannot be used. */
export const notStringReason = (type: string): string =>
  type === UNREADABLE
    ? 'The Redis user of this connection may not read its key.'
    : `Its key holds a ${type}, not a string.`;

/** Bytes of a value read for a list; values written by hand are shorter. */
export const LISTED_BYTES = 64 * 1024;

/** Keyed with Keyward's secret, so an etag cannot be used to guess a secret value. */
export const etagOf = (type: string, length: number, bytes: Buffer): string =>
  digest('etag', Buffer.concat([Buffer.from(`${type}\0${length}\0`), bytes]), 27);

const commandsOf = (key: Key, maxBytes: number): ReadCommand[] => [
  ['TYPE', key],
  ['PTTL', key],
  ['STRLEN', key],
  ['GETRANGE', key, 0, maxBytes - 1],
];

const orElse = <T>(reply: unknown, fallback: T): T => (reply instanceof Error ? fallback : (reply as T));

/**
 * Values of string keys in one round trip, in order; null if the key does not exist. Another type or an unreadable key
 * is reported in `type`, not as an error. Beyond `maxBytes` the etag covers the length and the bytes read.
 */
export const readValues = async (
  reader: Reader,
  keys: readonly Key[],
  maxBytes = LISTED_BYTES,
): Promise<(StoredValue | null)[]> => {
  const replies = await readEach(reader, keys, (key) => commandsOf(key, maxBytes));
  return keys.map((key, i) => {
    const [reply, pttl, length, bytes] = replies[i]!;
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

/** Bytes as text; null if they are not UTF-8. */
export const textOf = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};
