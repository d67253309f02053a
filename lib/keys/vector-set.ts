import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { ValueAccess } from '@/lib/key-values/value-access';
import type { Key } from '@/lib/redis/commands';
import { isNotPermitted } from '@/lib/redis/failure';
import type { KeyDetails } from './schema';

export const VECTOR_SET = 'vectorset';

type VectorSet = NonNullable<KeyDetails['vectorSet']>;

/** Names and values, alternating: a newer server may add some. */
const factsOf = (flat: readonly unknown[]): VectorSet['facts'] =>
  Array.from({ length: Math.floor(flat.length / 2) }, (_, i) => ({
    name: String(flat[2 * i]),
    value: String(flat[2 * i + 1]),
  }));

/** A vector in an answer; the largest that servers take has 65 536 dimensions. */
const MAX_DIMENSIONS = 4096;

/** What the server says of a vector set (Redis ≥ 8), and the vector of one element; null where our user may not ask. */
export const readVectorSet = async (
  { reader }: Pick<ReadContext, 'reader'>,
  key: Key,
  { secretMembers }: Pick<ValueAccess, 'secretMembers'>,
  element: string | undefined,
): Promise<{ length: number; vectorSet: VectorSet } | null> => {
  try {
    const length = await reader.read(['VCARD', key]);
    const facts = factsOf((await reader.read(['VINFO', key])) ?? []);
    // Whether an element exists would say which secrets do.
    const isAsked = element !== undefined && !secretMembers;
    const vector = isAsked ? await reader.read(['VEMB', key, Buffer.from(element)]) : null;
    const of = vector && {
      vector: vector.slice(0, MAX_DIMENSIONS).map(Number),
      dimensions: vector.length,
    };
    return { length, vectorSet: { facts, element: of } };
  } catch (error) {
    if (isNotPermitted(error)) return null;
    throw error;
  }
};
