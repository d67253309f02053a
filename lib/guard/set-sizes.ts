import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { FamilyRole } from '@/lib/keyspace/roles';
import type { ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';

/**
 * Members of the sets with these roles, in order (SCARD, as they are now). Null where the connection's catalog has no
 * such set, or the key is not a set.
 */
export const readSetSizes = async (
  reader: Pick<Reader, 'readMany'>,
  catalog: Registry,
  roles: readonly FamilyRole[],
): Promise<(number | null)[]> => {
  const families = roles.map((role) => catalog.role(role));
  const commands = families.flatMap((family) =>
    family ? [['SCARD', family.key()] as const satisfies ReadCommand] : [],
  );
  const replies = [...(await reader.readMany(commands))];
  return families.map((family) => {
    const reply = family ? replies.shift() : null;
    return typeof reply === 'number' ? reply : null;
  });
};
