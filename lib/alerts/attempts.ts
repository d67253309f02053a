import 'server-only';
import { z } from 'zod';
import type { Attempt } from '@/lib/attempt';
import { MAIL_TIMEOUT_MS } from '@/lib/mail';
import { MINUTE, SECOND } from '@/lib/time';
import { CHANNEL_KINDS } from './channels/schema';
import { DELIVERY_STATES } from './schema';

/** Waits before the second and further attempts, from the end of the one before: six attempts in all. */
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;
/** An attempt that did not report its end by then was lost with its process. */
export const CLAIM_MS = 3 * MAIL_TIMEOUT_MS;

/** The delivery of one message to one channel, as it is stored. */
export const attemptFields = {
  /** Sent with every attempt, so a receiver can drop a repeated one. */
  id: z.string(),
  channel: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS).nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  /** The end of the last attempt, or its beginning while it runs. */
  at: z.number().nullable(),
  /** The time of the next attempt; while one runs, when it counts as lost. */
  nextAt: z.number(),
  error: z.string().nullable(),
  /** The recipients that a partially delivered mail still lacks. */
  rest: z.object({ to: z.array(z.string()), refused: z.number() }).nullish(),
};
const delivery = z.object(attemptFields);
export type Delivery = z.output<typeof delivery>;

/** When the next attempt of any of them is due; '' if all have ended. */
export const nextAttemptOf = (deliveries: readonly Pick<Delivery, 'state' | 'nextAt'>[]): number | '' => {
  const pending = deliveries.filter(({ state }) => state === 'pending');
  return pending.length === 0 ? '' : Math.min(...pending.map(({ nextAt }) => nextAt));
};

/** A delivery after an attempt. */
const afterAttempt = <D extends Delivery>(
  delivery: D,
  { delivered, retry, error, rest }: Attempt,
  now: number,
): D => {
  const attempts = delivery.attempts + 1;
  const wait = retry ? WAITS_MS[attempts - 1] : undefined;
  const ended = delivered ? 'delivered' : wait === undefined ? 'failed' : 'pending';
  return {
    ...delivery,
    state: ended,
    attempts,
    at: now,
    nextAt: now + (wait ?? 0),
    error,
    // Also after an attempt that reached no server: others have the mail.
    rest: ended === 'pending' ? (rest ?? delivery.rest ?? null) : null,
  };
};

/** The deliveries of a message after an attempt of one, unless another process has made one since. */
export const withAttempt = <D extends Delivery>(
  deliveries: readonly D[],
  { id, attempts }: Delivery,
  attempt: Attempt,
  now: number,
): D[] =>
  deliveries.map((each) =>
    each.id === id && each.attempts === attempts ? afterAttempt(each, attempt, now) : each,
  );
