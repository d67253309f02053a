import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, HOUR, isoOrNull, MINUTE } from '@/lib/time';
import { type Schedule, schedule } from './schema';

const stored = schedule.extend({
  /** Earlier times of the schedule are not made up for. */
  setAt: z.number(),
  /** The latest completed time of the schedule. */
  doneFor: z.number().nullable(),
});
type Stored = z.output<typeof stored>;

const OFF: Stored = { every: 'off', at: '03:00', setAt: 0, doneFor: null };

const PERIODS = { hourly: HOUR, daily: DAY, weekly: 7 * DAY };
/** 1970-01-05, a Monday. */
const FIRST_MONDAY = 4 * DAY;

/** The latest time of the schedule up to `now`, and the next one; null where it is off. */
export const timesOf = ({ every, at }: Schedule, now: number): { last: number; next: number } | null => {
  if (every === 'off') return null;
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  const period = PERIODS[every];
  const ofDay = hours * HOUR + minutes * MINUTE;
  const offset = every === 'hourly' ? minutes * MINUTE : every === 'daily' ? ofDay : FIRST_MONDAY + ofDay;
  const last = Math.floor((now - offset) / period) * period + offset;
  return { last, next: last + period };
};

const keyOf = (connection: string): Buffer => consoleFamilies.analysisSchedule.key({ connection });

const write = (store: Store, connection: string, value: Stored): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(value));
  });

const read = (store: Store, connection: string): Promise<Stored> =>
  store.use(async (redis) => parseStored(stored, await redis.get(keyOf(connection))) ?? OFF);

/** The schedule as it is shown. */
export const shownSchedule = ({ every, at }: Schedule, now: number) => ({
  every,
  at,
  nextAt: isoOrNull(timesOf({ every, at }, now)?.next),
});

export const readSchedule = async (store: Store, connection: string): Promise<Schedule> => {
  const { every, at } = await read(store, connection);
  return { every, at };
};

export const writeSchedule = (
  store: Store,
  connection: string,
  value: Schedule,
  now: number,
): Promise<void> => write(store, connection, { ...value, setAt: now, doneFor: null });

/** The due time of the schedule; null where none is due. */
export const dueTime = async (store: Store, connection: string, now: number): Promise<number | null> => {
  const kept = await read(store, connection);
  const last = timesOf(kept, now)?.last;
  return last !== undefined && last > Math.max(kept.setAt, kept.doneFor ?? 0) ? last : null;
};

/** Marks this time of the schedule as completed, unless the schedule was changed meanwhile. */
export const markDone = async (store: Store, connection: string, time: number): Promise<void> => {
  const kept = await read(store, connection);
  if (kept.setAt < time) await write(store, connection, { ...kept, doneFor: time });
};
