import type { Flag } from '@/lib/flags/schema';
import { DAY } from '@/lib/time';
import type { NewChange, TimeFault } from './new-change-fields';

const MAX_AHEAD_MS = 365 * DAY;

const timeOf = (change: NewChange): number => Date.parse(change.at);

/** Problem of each time: in the past, too far ahead, or used by another change. */
export const faultsOf = (changes: readonly NewChange[], flag: Flag, now: number): TimeFault[] => {
  const taken = flag.schedule.filter(({ state }) => state === 'waiting').map(({ at }) => Date.parse(at));
  return changes.map((change, i) => {
    const time = timeOf(change);
    if (Number.isNaN(time)) return null;
    if (time <= now) return 'past';
    if (time > now + MAX_AHEAD_MS) return 'far';
    const duplicate = taken.includes(time) || changes.some((other, j) => j < i && timeOf(other) === time);
    return duplicate ? 'duplicate' : null;
  });
};

/** Default for another change: the opposite of the state after all changes so far. */
export const nextState = (changes: readonly NewChange[], flag: Flag): boolean => {
  const last = flag.schedule.filter(({ state }) => state === 'waiting').at(-1);
  return !(changes.at(-1)?.enabled ?? last?.enabled ?? flag.enabled);
};
