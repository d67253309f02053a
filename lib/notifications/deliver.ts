import 'server-only';
import { CLAIM_MS, withAttempt } from '@/lib/alerts/attempts';
import { enter, isFull, leave } from '@/lib/alerts/room';
import { sendTo } from '@/lib/alerts/send-to';
import type { Locale } from '@/lib/locales';
import { logBroken } from '@/lib/log';
import { isStoreUnavailable } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { changeMessage, deleteMessages, dueMessages, readMessage, type StoredDelivery } from './messages';
import { type Notice, outgoingOf } from './notice';

type Clock = () => number;

const isDue = ({ state, nextAt }: StoredDelivery, now: number): boolean =>
  state === 'pending' && nextAt <= now;

/** Takes the deliveries with these ids, so that no other process attempts them at the same time. */
const claim = async (
  store: Store,
  id: string,
  reserved: ReadonlySet<string>,
  now: number,
): Promise<{ notice: Notice; claimed: StoredDelivery[] } | null> => {
  let claimed: StoredDelivery[] = [];
  const message = await changeMessage(store, id, (stored) => {
    claimed = stored.deliveries.filter((each) => reserved.has(each.id) && isDue(each, now));
    const deliveries = stored.deliveries.map((each) =>
      claimed.includes(each) ? { ...each, at: now, nextAt: now + CLAIM_MS } : each,
    );
    return { ...stored, deliveries };
  });
  return message && { notice: message.notice, claimed };
};

const attempt = async (
  store: Store,
  id: string,
  notice: Notice,
  delivery: StoredDelivery,
  clock: Clock,
): Promise<void> => {
  const messageIn = (language: Locale) => outgoingOf(delivery.id, notice, language);
  const to = { connection: delivery.connection, delivery, what: 'a delivery of a notification' };
  const result = await sendTo(store, to, messageIn, clock());
  const now = clock();
  await changeMessage(store, id, (stored) => ({
    ...stored,
    deliveries: withAttempt(stored.deliveries, delivery, result, now),
  }));
};

/** Attempts what has a place of one message, and gives the places back. */
const deliverMessage = async (
  store: Store,
  id: string,
  reserved: readonly StoredDelivery[],
  clock: Clock,
): Promise<void> => {
  try {
    const taken = await claim(store, id, new Set(reserved.map((each) => each.id)), clock());
    await Promise.all(
      (taken?.claimed ?? []).map((delivery) => attempt(store, id, taken!.notice, delivery, clock)),
    );
  } finally {
    for (const each of reserved) leave(each);
  }
};

/** A claim ends by itself, and the attempt is repeated under the same id. */
const report = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isStoreUnavailable(error)) logBroken('deliveries of notifications', error);
  });

/** Attempts what is due, and resolves when those attempts have ended. A channel has two places, so others go on. */
export const deliverDue = async (store: Store, clock: Clock = Date.now): Promise<void> => {
  const now = clock();
  const running: Promise<unknown>[] = [];
  for (const id of await dueMessages(store, now)) {
    if (isFull()) break;
    const read = await readMessage(store, id);
    // It is gone, or was written by another version.
    if (!read) running.push(report(deleteMessages(store, [id])));
    const reserved = (read?.message.deliveries ?? []).filter((each) => isDue(each, now) && enter(each));
    if (reserved.length > 0) running.push(report(deliverMessage(store, id, reserved, clock)));
  }
  await Promise.all(running);
};

/** Attempts what is due. Never throws. */
export const deliverNotifications = (store: Store): Promise<unknown> => report(deliverDue(store));
