import 'server-only';
import type { Expiry, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { isNotPermitted } from './failure';

/**
 * The expiry that a key has beside `near`, which is computed from its TTL, or comes from a script: those round what is
 * beyond 2^53. It is `near` before Redis 7, and of a key that is gone.
 */
export const exactExpiry = async (
  { exact }: Pick<ConnectionHandle, 'exact'>,
  key: Key,
  near: number,
): Promise<Expiry> => {
  try {
    const at = await exact.read(['PEXPIRETIME', key]);
    return at === -2 ? near : at;
  } catch (error) {
    if (isNotPermitted(error)) return near;
    throw error;
  }
};
