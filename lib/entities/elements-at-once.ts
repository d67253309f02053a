import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';

/** Maximum bytes loaded by one call: the server copies elements completely before they are cut. */
const MAX_LOADED_BYTES = 8 * 2 ** 20;

/** How many elements of collections one call may read, in order, estimated by the size of a few; at least one. */
export const elementsAtOnce = async (
  { reader }: Pick<ReadContext, 'reader'>,
  collections: readonly { key: Key; length: number }[],
): Promise<number[]> => {
  const sizes: readonly unknown[] = await reader.readMany(
    collections.map(({ key }) => ['MEMORY USAGE', key] as const),
  );
  return collections.map(({ length }, i) => {
    const bytes = sizes[i];
    // Our user may lack the permission.
    if (typeof bytes !== 'number' || bytes <= MAX_LOADED_BYTES) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((length * MAX_LOADED_BYTES) / bytes));
  });
};
