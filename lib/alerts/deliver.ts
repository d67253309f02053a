import 'server-only';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isStoreUnavailable } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { send } from './channel';
import { isSilenced } from './evaluator';
import {
  changeEvent,
  dueEvents,
  forgetDue,
  readEvents,
  type StoredDelivery,
  type StoredEvent,
} from './event';
import { MAIL_TIMEOUT_MS } from './mail';
import { messageOf } from './message';
import { type Attempt, failed } from './post';
import { enter, isFull, leave } from './room';
import { readAll, readOne, type StoredSilence } from './stored-rule';

/** Waits before the second and further attempts, from the end of the one before: six attempts in all. */
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;
/** An attempt that did not report its end by then was lost with its process. */
const CLAIM_MS = 3 * MAIL_TIMEOUT_MS;
/** Due events looked at in one go: those of a channel without room are passed over. */
const MAX_LOOKED_AT = 1000;
const BATCH = 100;

type Clock = () => number;

/** That it resolved is sent after that it fires, also while the attempts of that fail. */
const firstOf = (
  { channel, event }: StoredDelivery,
  all: readonly StoredDelivery[],
): StoredDelivery | undefined =>
  event === 'resolved'
    ? all.find((each) => each.event === 'firing' && each.channel === channel && each.state === 'pending')
    : undefined;

const dueOf = ({ deliveries }: StoredEvent, now: number): StoredDelivery[] =>
  deliveries.filter(({ state, nextAt }) => state === 'pending' && nextAt <= now);

/**
 * Takes what there is room for, so that no other process attempts it at the same time. What resolved waits for what
 * fires.
 */
const claim = async (
  store: Store,
  connection: string,
  id: string,
  reserved: ReadonlySet<string>,
  now: number,
): Promise<{ event: StoredEvent; claimed: StoredDelivery[] } | null> => {
  let claimed: StoredDelivery[] = [];
  const event = await changeEvent(store, connection, id, (stored) => {
    const due = dueOf(stored, now);
    claimed = due.filter((each) => reserved.has(each.id) && !firstOf(each, stored.deliveries));
    const deliveries = stored.deliveries.map((each) => {
      const first = due.includes(each) ? firstOf(each, stored.deliveries) : undefined;
      if (claimed.includes(each)) return { ...each, nextAt: now + CLAIM_MS };
      // The attempt that runs now may end in a moment.
      return first ? { ...each, nextAt: Math.max(first.nextAt, now + SECOND) } : each;
    });
    const isChanged = deliveries.some((each, i) => each !== stored.deliveries[i]);
    return isChanged ? { ...stored, deliveries } : null;
  });
  return event && { event, claimed };
};

/** A delivery after an attempt. */
const after = (
  delivery: StoredDelivery,
  { delivered, retry, error, rest }: Attempt,
  now: number,
): StoredDelivery => {
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
    rest: rest ?? null,
  };
};

const resultOf = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  delivery: StoredDelivery,
  now: number,
): Promise<Attempt> => {
  const channel = await readOne(store, 'channels', connection, delivery.channel);
  if (!channel) return failed('The channel was deleted.', false);
  try {
    const message = messageOf(connection, event, delivery);
    return await send(connection, channel.value, message, { now, rest: delivery.rest });
  } catch (error) {
    logBroken(`a delivery of an alert of ${connection}`, error);
    return failed('It could not be sent. The log of the server has the error.', true);
  }
};

const attempt = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  delivery: StoredDelivery,
  clock: Clock,
): Promise<void> => {
  const result = await resultOf(store, connection, event, delivery, clock());
  const now = clock();
  await changeEvent(store, connection, event.id, (stored) => ({
    ...stored,
    deliveries: stored.deliveries.map((each) =>
      each.id === delivery.id && each.attempts === delivery.attempts ? after(each, result, now) : each,
    ),
  }));
};

/** What was not delivered yet is removed; while it fires, it is announced when the silence ends. */
const holdBack = (store: Store, connection: string, id: string): Promise<unknown> =>
  changeEvent(store, connection, id, (stored) => {
    const isHeld = (each: StoredDelivery): boolean =>
      each.state === 'pending' && (each.event === 'firing' || firstOf(each, stored.deliveries) !== undefined);
    return { ...stored, silenced: true, deliveries: stored.deliveries.filter((each) => !isHeld(each)) };
  });

/** Attempts what there is room for of one event. */
const deliverEvent = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  clock: Clock,
): Promise<void> => {
  const now = clock();
  const due = dueOf(event, now).filter((each) => !firstOf(each, event.deliveries));
  const reserved = due.filter(({ channel }) => enter(channel));
  try {
    const ids = new Set(reserved.map(({ id }) => id));
    if (ids.size === 0 && due.length > 0) return;
    const taken = await claim(store, connection, event.id, ids, now);
    await Promise.all(
      (taken?.claimed ?? []).map((delivery) => attempt(store, connection, taken!.event, delivery, clock)),
    );
  } finally {
    for (const { channel } of reserved) leave(channel);
  }
};

const isHeldBack = (event: StoredEvent, silences: readonly StoredSilence[] | undefined, now: number) =>
  isSilenced(silences, event.series, now) && dueOf(event, now).some((each) => each.event === 'firing');

/** Attempts what is due on one connection, and resolves when those attempts have ended. */
export const deliverDue = async (
  store: Store,
  connection: string,
  clock: Clock = Date.now,
): Promise<void> => {
  const now = clock();
  const running: Promise<unknown>[] = [];
  for (let offset = 0; offset < MAX_LOOKED_AT && !isFull(); offset += BATCH) {
    const ids = await dueEvents(store, connection, now, { offset, count: BATCH });
    if (ids.length === 0) break;
    const [events, silences] = await Promise.all([
      readEvents(store, connection, ids),
      readAll(store, 'silences', connection),
    ]);
    for (const id of ids) {
      const event = events.get(id)?.event;
      if (!event) running.push(forgetDue(store, connection, id));
      else if (isHeldBack(event, silences.get(event.ruleId), now))
        running.push(holdBack(store, connection, id));
      else running.push(deliverEvent(store, connection, event, clock));
    }
    if (ids.length < BATCH) break;
  }
  await Promise.all(running);
};

export const deliverAlerts = async (store: Store, handles: readonly ConnectionHandle[]): Promise<void> => {
  const deliver = ({ config }: ConnectionHandle) =>
    deliverDue(store, config.id).catch((error: unknown) => {
      // The claim ends by itself, and the attempt is repeated under the same id.
      if (!isStoreUnavailable(error)) logBroken(`deliveries of alerts of ${config.id}`, error);
    });
  await Promise.all(handles.map(deliver));
};
