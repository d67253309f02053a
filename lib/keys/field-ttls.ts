import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import type { Key } from '@/lib/redis/commands';
import { isNotPermitted } from '@/lib/redis/failure';
import type { Node } from '@/lib/redis/topology';
import { MINUTE, ttlSeconds } from '@/lib/time';

/** A server that lacks the command, or does not permit it, is asked again after this: it may be upgraded. */
const ASKED_AGAIN_MS = MINUTE;

/** When a node refused, by `performance.now()`. */
const refusals = new WeakMap<Node, number>();

/**
 * Seconds until each field of a hash expires, null for never and for a name that was cut; null where the server has no such
 * TTLs (before Redis 7.4 and Valkey 9), or our user may not read them. One command for a page. Throws WRONGTYPE.
 */
export const readFieldTtls = async (
  { connection, reader }: Pick<ReadContext, 'connection' | 'reader'>,
  key: Key,
  fields: readonly Cut[],
): Promise<(number | null)[] | null> => {
  const node = connection.topology.nodeOf(key);
  const refusedAt = refusals.get(node);
  if (refusedAt !== undefined && performance.now() - refusedAt < ASKED_AGAIN_MS) return null;
  const whole = fields.filter(({ bytes, length }) => bytes.length === length);
  if (whole.length === 0) return null;
  try {
    const names = whole.map(({ bytes }) => bytes);
    const replies = (await reader.read(['HPTTL', key, 'FIELDS', names.length, ...names])) ?? [];
    const ttls = new Map(whole.map((field, i) => [field, ttlSeconds(replies[i] ?? -1) ?? null]));
    return fields.map((field) => ttls.get(field) ?? null);
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    refusals.set(node, performance.now());
    return null;
  }
};
