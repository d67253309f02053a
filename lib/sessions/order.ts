import 'server-only';
import type { Session, SessionOrder } from './schema';

const TIMES: Record<SessionOrder['sort'], (session: Session) => string | null> = {
  lastActivity: (session) => session.lastActivity ?? session.createdAt,
  created: (session) => session.createdAt,
  expiry: (session) => session.expiresAt,
};

/** By a time; sessions without that time come last, whichever way. */
export const inOrder = (sessions: readonly Session[], { sort, order }: SessionOrder): Session[] => {
  const time = TIMES[sort];
  const sign = order === 'asc' ? 1 : -1;
  return [...sessions].sort((a, b) => {
    const [x, y] = [time(a), time(b)];
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -sign : sign;
  });
};
