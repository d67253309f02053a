import 'server-only';
import type { Locale } from '@/lib/locales';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isStoreUnavailable } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { CLAIM_MS, withAttempt } from './attempts';
import { isSilenced } from './evaluator';
import {
  changeEvent,
  dueEvents,
  forgetDue,
  moveBack,
  readEvents,
  type StoredDelivery,
  type StoredEvent,
} from './event';
import { messageOf, outgoingOf } from './message';
import { enter, isFull, leave } from './room';
import { sendTo } from './send-to';
import { readAll, type StoredSilence } from './stored-rule';

/** Due events looked at in one go: those of a receiver without room are passed over. */
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
      if (claimed.includes(each)) return { ...each, at: now, nextAt: now + CLAIM_MS };
      // The attempt that runs now may end in a moment.
      return first ? { ...each, nextAt: Math.max(first.nextAt, now + SECOND) } : each;
    });
    const isChanged = deliveries.some((each, i) => each !== stored.deliveries[i]);
    return isChanged ? { ...stored, deliveries } : null;
  });
  return event && { event, claimed };
};

const attempt = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  delivery: StoredDelivery,
  clock: Clock,
): Promise<void> => {
  const messageIn = (language: Locale) =>
    outgoingOf(messageOf(connection, event, delivery, language), language);
  const to = { connection, delivery, what: `a delivery of an alert of ${connection}` };
  const result = await sendTo(store, to, messageIn, clock());
  const now = clock();
  await changeEvent(store, connection, event.id, (stored) => ({
    ...stored,
    deliveries: withAttempt(stored.deliveries, delivery, result, now),
  }));
};

/**
 * What is due and was never attempted is removed, with that it resolved. After an attempt the receiver may have it, so
 * the delivery ends instead and that it resolved is sent. While it fires, both are delivered when the silence ends.
 */
const holdBack = (store: Store, connection: string, id: string, now: number): Promise<unknown> =>
  changeEvent(store, connection, id, (stored) => {
    const held = dueOf(stored, now).filter(({ event }) => event === 'firing');
    if (held.length === 0) return null;
    const isRemoved = (each: StoredDelivery): boolean => held.includes(each) && each.at === null;
    const deliveries = stored.deliveries
      .filter((each) => !isRemoved(firstOf(each, stored.deliveries) ?? each))
      .map((each) =>
        held.includes(each)
          ? { ...each, state: 'failed' as const, held: true, error: 'A silence held it back.' }
          : each,
      );
    return { ...stored, silenced: true, deliveries };
  });

/** What of one event has a place now; null if something is due and nothing has one. */
const reserve = (event: StoredEvent, now: number): StoredDelivery[] | null => {
  const due = dueOf(event, now).filter((each) => !firstOf(each, event.deliveries));
  const reserved = due.filter(enter);
  return due.length > 0 && reserved.length === 0 ? null : reserved;
};

/** Attempts what has a place of one event, and gives the places back. */
const deliverEvent = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  reserved: readonly StoredDelivery[],
  clock: Clock,
): Promise<void> => {
  try {
    const ids = new Set(reserved.map(({ id }) => id));
    const taken = await claim(store, connection, event.id, ids, clock());
    await Promise.all(
      (taken?.claimed ?? []).map((delivery) => attempt(store, connection, taken!.event, delivery, clock)),
    );
  } finally {
    for (const each of reserved) leave(each);
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
  const due = await dueEvents(store, connection, now, MAX_LOOKED_AT);
  for (let start = 0; start < due.length && !isFull(); start += BATCH) {
    const ids = due.slice(start, start + BATCH);
    const passedOver: string[] = [];
    const [events, silences] = await Promise.all([
      readEvents(store, connection, ids),
      readAll(store, 'silences', connection),
    ]);
    for (const id of ids) {
      const event = events.get(id)?.event;
      if (!event) running.push(forgetDue(store, connection, id));
      else if (isHeldBack(event, silences.get(event.ruleId), now))
        running.push(holdBack(store, connection, id, now));
      else {
        const reserved = reserve(event, now);
        if (reserved) running.push(deliverEvent(store, connection, event, reserved, clock));
        else passedOver.push(id);
      }
    }
    running.push(moveBack(store, connection, passedOver, now));
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
