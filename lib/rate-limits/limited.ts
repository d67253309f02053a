import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isWrongType } from '@/lib/redis/failure';
import { SECOND } from '@/lib/time';
import { currentLimits, type Limits } from './limits';
import { currentPass } from './pass';
import { sharedView } from './view';

/** How long a reader waits for a newer pass; a large hash is read in the background. */
const TIMEOUT_MS = 300;

export interface LimitedProjects {
  /** Projects whose window is full: state `limited` of the rate limits page. Null while unknown. */
  projects: number | null;
  /** When the windows were read, epoch ms. */
  countedAt: number | null;
}

const UNKNOWN: LimitedProjects = { projects: null, countedAt: null };

/** No limit is known at all: not read yet, or no source has any and the default is unlimited. */
const areLimitsUnknown = ({ state }: Limits, defaultLimit: number): boolean => {
  if (state.status === 'loading') return true;
  const hasNone = defaultLimit === 0 && state.projects === 0;
  return hasNone && (state.source === 'default' || state.status === 'unavailable');
};

/**
 * The one count of limited projects: the overview, the badge of the navigation, "needs attention" and the guard's
 * history take it from here, and here it is the `counts.limited` that the rate limits page shows.
 */
export const limitedProjects = async (
  handle: ConnectionHandle,
  catalog: Registry,
): Promise<LimitedProjects> => {
  if (!catalog.roles.has('rate-limit')) return UNKNOWN;
  const limits = await currentLimits(handle);
  if (areLimitsUnknown(limits, handle.config.hawk.eventsLimit)) return UNKNOWN;
  try {
    const pass = await currentPass(handle, catalog, TIMEOUT_MS, 'figure');
    if (pass.finishedAt === null) return UNKNOWN;
    const { counts } = await sharedView(pass, limits, Math.floor(Date.now() / SECOND));
    return { projects: counts.limited, countedAt: pass.finishedAt };
  } catch (error) {
    // A key of another type has no windows to count; the page names the problem.
    if (isWrongType(error)) return UNKNOWN;
    throw error;
  }
};
