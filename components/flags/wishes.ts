import { fromLocalInput } from '@/components/patterns/local-time';
import type { Flag } from '@/lib/flags/schema';
import { DAY } from '@/lib/time';
import type { Wish, WishFault } from './planned-fields';

const LATEST = 365 * DAY;

const timeOf = (wish: Wish): number => Date.parse(fromLocalInput(wish.at));

/** What is wrong with each time: past, too far, or taken by another change or plan. */
export const faultsOf = (wishes: readonly Wish[], flag: Flag, now: number): WishFault[] => {
  const taken = flag.schedule.filter(({ state }) => state === 'waiting').map(({ at }) => Date.parse(at));
  return wishes.map((wish, i) => {
    const time = timeOf(wish);
    if (Number.isNaN(time)) return null;
    if (time <= now) return 'past';
    if (time > now + LATEST) return 'far';
    const twice = taken.includes(time) || wishes.some((other, j) => j < i && timeOf(other) === time);
    return twice ? 'twice' : null;
  });
};

/** The other way round from what the flag is after everything that is planned or wished so far. */
export const nextState = (wishes: readonly Wish[], flag: Flag): boolean => {
  const last = flag.schedule.filter(({ state }) => state === 'waiting').at(-1);
  return !(wishes.at(-1)?.enabled ?? last?.enabled ?? flag.enabled);
};
