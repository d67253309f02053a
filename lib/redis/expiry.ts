import 'server-only';
import type { Expiry, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { withoutPermission } from './failure';

/**
 * The exact expiry of a key whose approximate expiry is `near`: from a TTL, or from a script, which rounds numbers
 * beyond 2^53. Returns `near` before Redis 7 and for a missing key.
 */
export const exactExpiry = async (
  { exact }: Pick<ConnectionHandle, 'exact'>,
  key: Key,
  near: number,
): Promise<Expiry> => {
  const at = await exact.read(['PEXPIRETIME', key]).catch(withoutPermission(near));
  return at === -2 ? near : at;
};
