import 'server-only';
import { logBroken } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isStoreUnavailable } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { send } from './channel';
import { changeEvent, dueEvents, forgetDue, type StoredDelivery, type StoredEvent } from './event';
import { messageOf } from './message';
import { type Attempt, failed, TIMEOUT_MS } from './post';
import { readOne } from './stored-rule';

/** Waits before the second and further attempts: six attempts in all. */
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;
/** An attempt that did not report its end by then was lost with its process. */
const CLAIM_MS = 3 * TIMEOUT_MS;
/** Attempts of a process at the same time. */
const MAX_PARALLEL = 10;

const inFlight = processWide('alert-deliveries', () => new Set<string>());

/** That it resolved is sent after that it fires, also while the attempts of that fail. */
const firstOf = (
  { channel, event }: StoredDelivery,
  all: readonly StoredDelivery[],
): StoredDelivery | undefined =>
  event === 'resolved'
    ? all.find((each) => each.event === 'firing' && each.channel === channel && each.state === 'pending')
    : undefined;

/** Takes what is due, so that no other process attempts it at the same time. */
const claim = async (
  store: Store,
  connection: string,
  id: string,
  now: number,
): Promise<{ event: StoredEvent; claimed: StoredDelivery[] } | null> => {
  let claimed: StoredDelivery[] = [];
  const event = await changeEvent(store, connection, id, (stored) => {
    const due = stored.deliveries.filter(({ state, nextAt }) => state === 'pending' && nextAt <= now);
    if (due.length === 0) return null;
    claimed = due.filter((each) => !firstOf(each, stored.deliveries));
    const nextAt = (each: StoredDelivery): number => {
      if (!due.includes(each)) return each.nextAt;
      const first = firstOf(each, stored.deliveries);
      // The attempt that runs now may end in a moment.
      return first ? Math.max(first.nextAt, now + SECOND) : now + CLAIM_MS;
    };
    return { ...stored, deliveries: stored.deliveries.map((each) => ({ ...each, nextAt: nextAt(each) })) };
  });
  if (!event) await forgetUnreadable(store, connection, id);
  return event && { event, claimed };
};

/** Removes what can never be delivered from the list of due events: an event that is gone. */
const forgetUnreadable = async (store: Store, connection: string, id: string): Promise<void> => {
  let exists = false;
  await changeEvent(store, connection, id, () => {
    exists = true;
    return null;
  });
  if (!exists) await forgetDue(store, connection, id);
};

/** A delivery after an attempt. */
const after = (
  delivery: StoredDelivery,
  { delivered, retry, error }: Attempt,
  now: number,
): StoredDelivery => {
  const attempts = delivery.attempts + 1;
  const wait = retry ? WAITS_MS[attempts - 1] : undefined;
  const ended = delivered ? 'delivered' : wait === undefined ? 'failed' : 'pending';
  return { ...delivery, state: ended, attempts, at: now, nextAt: now + (wait ?? 0), error };
};

const attempt = async (
  store: Store,
  connection: string,
  event: StoredEvent,
  delivery: StoredDelivery,
  now: number,
): Promise<void> => {
  const channel = await readOne(store, 'channels', connection, delivery.channel);
  const result = channel
    ? await send(connection, channel.value, messageOf(connection, event, delivery), now)
    : failed('The channel was deleted.', false);
  await changeEvent(store, connection, event.id, (stored) => ({
    ...stored,
    deliveries: stored.deliveries.map((each) =>
      each.id === delivery.id && each.attempts === delivery.attempts ? after(each, result, now) : each,
    ),
  }));
};

const deliverEvent = async (store: Store, connection: string, id: string, now: number): Promise<void> => {
  const taken = await claim(store, connection, id, now);
  await Promise.all(
    (taken?.claimed ?? []).map((delivery) => attempt(store, connection, taken!.event, delivery, now)),
  );
};

/** Attempts what is due on one connection, and resolves when those attempts have ended. */
export const deliverDue = async (
  store: Store,
  connection: string,
  now: number = Date.now(),
): Promise<void> => {
  const free = MAX_PARALLEL - inFlight().size;
  if (free <= 0) return;
  const due = (await dueEvents(store, connection, now, free)).filter((id) => !inFlight().has(id));
  await Promise.all(
    due.map(async (id) => {
      inFlight().add(id);
      try {
        await deliverEvent(store, connection, id, now);
      } finally {
        inFlight().delete(id);
      }
    }),
  );
};

export const deliverAlerts = async (store: Store, handles: readonly ConnectionHandle[]): Promise<void> => {
  const deliver = ({ config }: ConnectionHandle) =>
    deliverDue(store, config.id).catch((error: unknown) => {
      // The claim ends by itself, and the attempt is repeated under the same id.
      if (!isStoreUnavailable(error)) logBroken(`deliveries of alerts of ${config.id}`, error);
    });
  await Promise.all(handles.map(deliver));
};
