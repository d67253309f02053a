import type { Sorting } from '@/components/data-table/columns';
import type { WireInput } from '@/lib/contract';
import {
  SESSION_STATES,
  type Session,
  type SessionState,
  type sessionContracts,
} from '@/lib/sessions/schema';
import { byTime } from '@/lib/time';

/** What sessions are searched by, as the address holds it: every field given must fit, '' is any. */
export interface SessionFilter {
  name: string;
  device: string;
  address: string;
  /** Seconds without activity. */
  idle: string;
  state: string;
}

export type WireFilter = Omit<WireInput<typeof sessionContracts.search>, 'limit'>;

export const NO_FILTER: SessionFilter = { name: '', device: '', address: '', idle: '', state: '' };

const DAY = 86_400;

/** Times without activity to choose from, seconds. */
export const IDLE_CHOICES: readonly number[] = [3600, DAY, 7 * DAY, 14 * DAY, 30 * DAY];

/** The server refuses more: ten years. */
const MAX_IDLE = 3660 * DAY;

export const isState = (text: string): text is SessionState =>
  (SESSION_STATES as readonly string[]).includes(text);

/** Seconds; null where the address holds no such number. */
export const idleSeconds = (text: string): number | null => {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= MAX_IDLE ? seconds : null;
};

/** The filter as the server takes it. What somebody wrote into the address and makes no sense is left out. */
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

/** By what the address calls it. */
const TIMES = new Map<string, (session: Session) => string | null>([
  ['lastActivity', lastActivity],
  ['created', (session) => session.createdAt],
  ['expiry', (session) => session.expiresAt],
]);

/** As the server orders a user's sessions: by a time; those without it come last, whichever way. */
export const inOrder = (
  sessions: readonly Session[],
  { by, order }: Pick<Sorting, 'by' | 'order'>,
): Session[] => {
  const time = TIMES.get(by) ?? lastActivity;
  return [...sessions].sort(byTime(time, order));
};
