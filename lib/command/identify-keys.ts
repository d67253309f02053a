import 'server-only';
import type { Located } from '@/lib/catalog/classify';
import type { Registry } from '@/lib/catalog/registry';
import type { Key } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';

/** The family of a key, from its name or, where the name is ambiguous, from its type and fields. */
export interface IdentifiedKey extends Pick<Located, 'family' | 'malformedOf'> {
  /** The type from Redis; null where it was not queried. */
  type: string | null;
}

type Asked = Pick<Reader, 'readMany'>;

/**
 * Which hashes have all identifying fields of their family, none empty. HSTRLEN answers that without reading a value.
 */
const haveFields = async (reader: Asked, hashes: readonly (readonly [Key, readonly string[]])[]) => {
  const replies: readonly unknown[] = await reader.readMany(
    hashes.flatMap(([key, fields]) => fields.map((field) => ['HSTRLEN', key, field] as const)),
  );
  const lengths = replies.values();
  return hashes.map(([, fields]) =>
    fields.map(() => lengths.next().value).every((length) => typeof length === 'number' && length > 0),
  );
};

/**
 * Identifies keys, in order. A key whose name is ambiguous belongs to its candidate family only if its type and fields
 * match. Keys with an unambiguous name cost no command.
 */
export const identifyKeys = async (
  reader: Asked,
  catalog: Registry,
  keys: readonly Key[],
): Promise<IdentifiedKey[]> => {
  const found = keys.map((key): IdentifiedKey & Pick<Located, 'candidate'> => {
    const { family, malformedOf, candidate } = catalog.locate(key);
    return { family: candidate ? null : family, malformedOf, type: null, candidate };
  });
  const bare = found.flatMap((one, i) => (one.candidate ? [{ one, key: keys[i]! }] : []));
  const types = await reader.readMany(bare.map(({ key }) => ['TYPE', key] as const));
  for (const [i, { one }] of bare.entries()) one.type = typeof types[i] === 'string' ? types[i] : null;
  const hashes = bare.filter(({ one }) => one.type === 'hash');
  const isOne = await haveFields(
    reader,
    hashes.map(({ one, key }) => [key, one.candidate?.identifyingFields ?? []] as const),
  );
  for (const [i, { one }] of hashes.entries())
    if (isOne[i]) Object.assign(one, { family: one.candidate, malformedOf: null });
  return found;
};
