import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isWrongType } from '@/lib/redis/failure';
import { MINUTE, SECOND } from '@/lib/time';
import { currentLimits } from './limits';
import { currentPass } from './pass';
import { sharedView } from './view';

/** Longer than a pass over a million fields takes under the gentlest budget in use. */
const WITHIN_MS = 10 * MINUTE;

/**
 * How many projects are over their limit now; null while that is not known, or no limit is. It goes through the same
 * pass as the pages.
 */
export const countLimited = async (handle: ConnectionHandle, catalog: Registry): Promise<number | null> => {
  const limits = await currentLimits(handle);
  const { status, projects, source } = limits.state;
  const unlimited = handle.config.hawk.eventsLimit === 0 && projects === 0;
  if (status === 'loading' || (unlimited && (source === 'default' || status === 'unavailable'))) return null;
  try {
    const pass = await currentPass(handle, catalog, WITHIN_MS);
    const { counts } = await sharedView(pass, limits, Math.floor(Date.now() / SECOND));
    return counts.limited;
  } catch (error) {
    // A key of another type limits nobody by its count: the page says what it does instead.
    if (isWrongType(error)) return 0;
    throw error;
  }
};
