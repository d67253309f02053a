import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';

/**
 * Members of sets that applications keep, in order (SCARD, as they are now). Null where no application of the
 * connection has the set, or the key is not a set.
 */
export const readSetSizes = async (
  reader: Pick<Reader, 'readMany'>,
  catalog: Registry,
  ids: readonly string[],
): Promise<(number | null)[]> => {
  const families = ids.map((id) => catalog.get(id));
  const commands = families.flatMap((family) =>
    family ? [['SCARD', family.key()] as const satisfies ReadCommand] : [],
  );
  const replies = [...(await reader.readMany(commands))];
  return families.map((family) => {
    const reply = family ? replies.shift() : null;
    return typeof reply === 'number' ? reply : null;
  });
};
