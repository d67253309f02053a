import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import type { KeyIdentity } from '@/lib/key-values/identity';
import type { Key } from '@/lib/redis/commands';
import { ttlSeconds } from '@/lib/time';
import { readEach } from '@/lib/values/read-each';
import { UNREADABLE } from '@/lib/values/string-value';
import type { KeyRow } from './schema';

/** Type, TTL and memory of a key. */
export interface KeyFacts {
  type: string;
  ttlSeconds: number | null;
  memoryBytes: number | null;
}

/** Facts of keys in one round trip, in order; null where a key does not exist. */
export const readFacts = async (
  { reader }: Pick<ReadContext, 'reader'>,
  keys: readonly Key[],
): Promise<(KeyFacts | null)[]> => {
  const replies = await readEach(reader, keys, (key) => [
    ['TYPE', key],
    ['PTTL', key],
    ['MEMORY USAGE', key],
  ]);
  return replies.map(([type, pttl, bytes]) => {
    const ttl = typeof pttl === 'number' ? ttlSeconds(pttl) : null;
    if (type === 'none' || ttl === undefined) return null;
    return {
      type: typeof type === 'string' ? type : UNREADABLE,
      ttlSeconds: ttl,
      memoryBytes: typeof bytes === 'number' ? bytes : null,
    };
  });
};

export const rowOf = (
  ctx: Pick<ReadContext, 'connection' | 'catalog'>,
  { key, shown, family, state, shownParams, secret, sensitive }: KeyIdentity,
  facts: KeyFacts,
): KeyRow => ({
  keyId: keyIdOf(ctx, key),
  key: shown,
  family: family?.id ?? null,
  title: family?.title ?? null,
  state,
  params: shownParams,
  secret,
  sensitive,
  ...facts,
});
