import type { Sorting } from '@/components/data-table/columns';
import type { WireInput } from '@/lib/contract';
import {
  SESSION_STATES,
  type Session,
  type SessionState,
  type sessionContracts,
} from '@/lib/sessions/schema';
import { byTime } from '@/lib/time';

/** The filter of a search, as strings of the address. A session must match every field; '' matches any. */
export interface SessionFilter {
  name: string;
  device: string;
  address: string;
  /** Minimum idle time, seconds. */
  idle: string;
  state: string;
}

export type WireFilter = Omit<WireInput<typeof sessionContracts.search>, 'limit'>;

export const NO_FILTER: SessionFilter = { name: '', device: '', address: '', idle: '', state: '' };

const DAY = 86_400;

/** Idle times to choose from, seconds. */
export const IDLE_CHOICES: readonly number[] = [3600, DAY, 7 * DAY, 14 * DAY, 30 * DAY];

/** The maximum the server accepts: ten years. */
const MAX_IDLE = 3660 * DAY;

export const isState = (text: string): text is SessionState =>
  (SESSION_STATES as readonly string[]).includes(text);

/** Idle time in seconds; null if the address has no valid number. */
export const idleSeconds = (text: string): number | null => {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= MAX_IDLE ? seconds : null;
};

/** The filter as the server takes it; invalid values from the address are left out. */
export const wireFilter = ({ name, device, address, idle, state }: SessionFilter): WireFilter => {
  const seconds = idleSeconds(idle);
  return {
    ...(name ? { username: name.slice(0, 200) } : {}),
    ...(device ? { device: device.slice(0, 200) } : {}),
    ...(address ? { address: address.slice(0, 100) } : {}),
    ...(seconds ? { idleLongerThanSeconds: seconds } : {}),
    ...(isState(state) ? { state } : {}),
  };
};

export const isFiltered = (filter: SessionFilter): boolean => Object.keys(wireFilter(filter)).length > 0;

const lastActivity = (session: Session) => session.lastActivity ?? session.createdAt;

/** Values to sort by, by the names that the address uses. */
const TIMES = new Map<string, (session: Session) => string | null>([
  ['lastActivity', lastActivity],
  ['created', (session) => session.createdAt],
  ['expiry', (session) => session.expiresAt],
]);

/** Sorts by a time like the server does for one user: sessions without that time come last in both directions. */
export const inOrder = (
  sessions: readonly Session[],
  { by, order }: Pick<Sorting, 'by' | 'order'>,
): Session[] => {
  const time = TIMES.get(by) ?? lastActivity;
  return [...sessions].sort(byTime(time, order));
};
