import 'server-only';
import { z } from 'zod';
import { MINUTE } from '@/lib/time';

/** Messages of a notification in a minute, and messages that wait for its channels. */
export const MAX_PER_MINUTE = 10;
export const MAX_BACKLOG = 30;

/** What was sent in the current minute, and what the limit held back since. Times are epoch ms. */
export const limitState = z.object({
  start: z.number(),
  sent: z.number(),
  more: z.number(),
  /** The time of the first entry that was held back. */
  from: z.number(),
});
export type LimitState = z.output<typeof limitState>;

const EMPTY: LimitState = { start: 0, sent: 0, more: 0, from: 0 };

export interface Limited<T> {
  state: LimitState;
  /** Those that are sent one by one. */
  single: T[];
  /** How many of earlier minutes are sent as one message now; null without them. */
  more: { count: number; from: number } | null;
}

/** Sends what a minute has room for; the others are counted and sent as one number when the minute is over. */
export const limited = <T extends { at: number }>(
  before: LimitState | null,
  items: readonly T[],
  backlog: number,
  now: number,
): Limited<T> => {
  const isOver = before === null || now - before.start >= MINUTE || now < before.start;
  const state = isOver ? { ...(before ?? EMPTY), start: now, sent: 0 } : { ...before };
  let room = Math.max(0, Math.min(MAX_PER_MINUTE - state.sent, MAX_BACKLOG - backlog));
  const more = isOver && state.more > 0 && room > 0 ? { count: state.more, from: state.from } : null;
  if (more) {
    state.more = 0;
    state.sent += 1;
    room -= 1;
  }
  const single = items.slice(0, room);
  const rest = items.slice(room);
  state.sent += single.length;
  if (state.more === 0) state.from = rest[0]?.at ?? state.from;
  state.more += rest.length;
  // Nothing to remember: a quiet notification costs no write.
  const isIdle = state.sent === 0 && state.more === 0;
  return { state: isIdle ? EMPTY : state, single, more };
};

export const isIdle = ({ sent, more }: LimitState): boolean => sent === 0 && more === 0;
