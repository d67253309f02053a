import 'server-only';
import { z } from 'zod';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { SECOND } from '@/lib/time';
import { limitState } from './limit';
import { STATES, type StateChange } from './messages';
import { waitingList } from './waiting';

/** How far the log was read. */
const cursor = z.object({
  /** The last row that was read, as a stream id. */
  place: z.string(),
  /** The last row examined for changes without an outcome; null while nobody wants these. */
  trail: z.string().nullable(),
  /** The time of the alarm that was sent; null without one. */
  alarm: z.number().nullable(),
});
export type Cursor = z.output<typeof cursor>;

/** The last digest of a notification. */
const digestState = z.object({
  /** The local day it was of: `2026-05-04`. */
  day: z.string(),
  /** Until when it counted, epoch ms. */
  to: z.number(),
});
export type DigestState = z.output<typeof digestState>;

/** Not part of the compare-and-set. */
const FOLLOWED = 'followed';

/** The stored states, by field. */
export type States = Readonly<Record<string, string>>;

export const readStates = (store: Store): Promise<States> => store.use((redis) => redis.hgetall(STATES));

export const limitField = (id: string): string => `limit ${id}`;
export const digestField = (id: string): string => `digest ${id}`;

export const cursorIn = (states: States) => parseStored(cursor, states.cursor);
export const waitingIn = (states: States) => parseStored(waitingList, states.waiting) ?? [];
export const limitIn = (states: States, id: string) => parseStored(limitState, states[limitField(id)]);
export const digestIn = (states: States, id: string) => parseStored(digestState, states[digestField(id)]);

/** The change of a field from what was read; nothing if it stays. `null` deletes it. */
export const changed = (states: States, field: string, value: object | null): StateChange[] => {
  const before = states[field] ?? '';
  const after = value === null ? '' : JSON.stringify(value);
  return before === after ? [] : [{ field, before, after }];
};

/** The states after these changes. */
export const applied = (states: States, changes: readonly StateChange[]): States => ({
  ...states,
  ...Object.fromEntries(changes.map(({ field, after }) => [field, after])),
});

/** A quiet log costs one write in ten seconds. */
const RECORDED_MS = 10 * SECOND;

export const recordFollowed = async (store: Store, states: States, now: number): Promise<void> => {
  if (now - Number(states[FOLLOWED] ?? 0) < RECORDED_MS) return;
  await store.use((redis) => redis.hset(STATES, FOLLOWED, now));
};

/** When the log was last read, epoch ms. */
export const followedAt = async (store: Store): Promise<number | null> => {
  const text = await store.use((redis) => redis.hget(STATES, FOLLOWED));
  return text === null ? null : Number(text);
};
