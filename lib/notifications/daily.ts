import 'server-only';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { DAY, MINUTE, SECOND } from '@/lib/time';
import { digestNotice } from './digest';
import { commit, deleteOldMessages, messageOf, readChannels } from './messages';
import {
  changed,
  type DigestState,
  digestField,
  digestIn,
  readStates,
  type States,
  waitingIn,
} from './state';
import { readNotifications, type StoredNotification } from './stored';

export const DIGESTS_MS = 15 * SECOND;

/** The date and hour that clocks in a time zone show. */
const localTime = (at: number, timeZone: string): { day: string; hour: number } => {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  }).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { day: `${of('year')}-${of('month')}-${of('day')}`, hour: Number(of('hour')) };
};

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T12:00:00Z`) - DAY).toISOString().slice(0, 10);

/**
 * The last local day whose digest is due: today from the hour on, otherwise yesterday. An hour that clocks skip in
 * spring is due at the next one, and the second of a repeated hour finds the day done.
 */
export const dueDay = (
  at: number,
  { hour, timeZone }: Pick<StoredNotification, 'hour' | 'timeZone'>,
): string => {
  const local = localTime(at, timeZone);
  return local.hour >= hour ? local.day : dayBefore(local.day);
};

const sendDigest = async (
  store: Store,
  of: StoredNotification,
  states: States,
  now: number,
): Promise<void> => {
  const field = digestField(of.id);
  const last: DigestState = digestIn(states, of.id) ?? {
    day: dueDay(of.changedAt, of),
    to: of.changedAt,
  };
  const day = dueDay(now, of);
  const first = changed(states, field, last);
  if (day <= last.day) {
    if (first.length > 0) await commit(store, first, []);
    return;
  }
  const notice = await digestNotice(store, of, waitingIn(states), { from: last.to + 1, to: now });
  const channels = await readChannels(
    store,
    of.channels.map(({ connection }) => connection),
  );
  const message = notice && (await messageOf(of, notice, channels));
  await commit(
    store,
    changed(states, field, { day, to: now }),
    message ? [{ before: '', after: message }] : [],
  );
};

/** Stores the digests that are due. Each is stored with its day, so that no other process stores it too. */
export const storeDigests = async (store: Store, now: number): Promise<void> => {
  const [all, states] = await Promise.all([readNotifications(store), readStates(store)]);
  const daily = all.filter(({ when }) => when === 'daily');
  for (const each of daily) await sendDigest(store, each, states, now);
  const known = new Set(daily.map(({ id }) => digestField(id)));
  const old = Object.keys(states).filter((field) => field.startsWith(digestField('')) && !known.has(field));
  if (old.length > 0)
    await commit(
      store,
      old.flatMap((field) => changed(states, field, null)),
      [],
    );
};

/** Sends digests from one process at a time. Never throws. */
export const sendDigests = async (store: Store): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: 'notification-digests' });
  try {
    await withLease(store, lease, { ms: MINUTE, renewed: true }, async () => {
      await storeDigests(store, Date.now());
      await deleteOldMessages(store, Date.now());
    });
  } catch (error) {
    if (!isStoreUnavailable(error)) logBroken('digests of notifications', error);
  }
};
