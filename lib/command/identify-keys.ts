import 'server-only';
import type { Located } from '@/lib/keyspace/classify';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';

/** The family of a key, from its name or, where the name is ambiguous, from its type and fields. */
export interface IdentifiedKey extends Pick<Located, 'family' | 'malformedOf'> {
  /** The type from Redis; null where it was not queried. */
  type: string | null;
  /**
   * False for a key that may be a bare key: a hash with some of the identifying fields, a vanished or an unreadable
   * key.
   */
  isSettled: boolean;
}

type Asked = Pick<Reader, 'readMany'>;

/**
 * How many of their family's identifying fields hashes have, not counting empty ones. HSTRLEN shows that without
 * reading a value.
 */
const countFields = async (reader: Asked, hashes: readonly (readonly [Key, readonly string[]])[]) => {
  const replies: readonly unknown[] = await reader.readMany(
    hashes.flatMap(([key, fields]) => fields.map((field) => ['HSTRLEN', key, field] as const)),
  );
  const lengths = replies.values();
  return hashes.map(
    ([, fields]) =>
      fields.map(() => lengths.next().value).filter((length) => typeof length === 'number' && length > 0)
        .length,
  );
};

/**
 * Identifies keys, in order. A key with an ambiguous name belongs to its candidate family only if its type and fields
 * match. Keys with an unambiguous name cost no command. `known`: their types, where already read.
 */
export const identifyKeys = async (
  reader: Asked,
  catalog: Registry,
  keys: readonly Key[],
  known?: readonly string[],
): Promise<IdentifiedKey[]> => {
  const identified = keys.map((key): IdentifiedKey & Pick<Located, 'candidate'> => {
    const { family, malformedOf, candidate } = catalog.locate(key);
    return { family: candidate ? null : family, malformedOf, type: null, isSettled: !candidate, candidate };
  });
  const bare = identified.flatMap((identifiedKey, i) =>
    identifiedKey.candidate ? [{ identity: identifiedKey, key: keys[i]!, known: known?.[i] }] : [],
  );
  const types: readonly unknown[] = known
    ? bare.map((candidate) => candidate.known || null)
    : await reader.readMany(bare.map(({ key }) => ['TYPE', key] as const));
  for (const [i, { identity }] of bare.entries()) {
    identity.type = typeof types[i] === 'string' ? types[i] : null;
    // An expired key may have been a bare key.
    identity.isSettled = identity.type !== null && identity.type !== 'hash' && identity.type !== 'none';
  }
  const hashes = bare.filter(({ identity }) => identity.type === 'hash');
  const counts = await countFields(
    reader,
    hashes.map(({ identity, key }) => [key, identity.candidate?.identifyingFields ?? []] as const),
  );
  for (const [i, { identity }] of hashes.entries()) {
    const isOne = counts[i] === identity.candidate?.identifyingFields?.length;
    identity.isSettled = isOne;
    if (isOne) Object.assign(identity, { family: identity.candidate, malformedOf: null });
  }
  const others = hashes.filter((_, i) => counts[i] === 0);
  const sizes: readonly unknown[] = await reader.readMany(others.map(({ key }) => ['HLEN', key] as const));
  // A hash that has vanished had no fields either.
  for (const [i, { identity }] of others.entries()) identity.isSettled = sizes[i] !== 0;
  return identified;
};
