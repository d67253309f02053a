import 'server-only';
import { rowsFrom } from '@/lib/audit/rows';
import { readWatch } from '@/lib/audit/watch-record';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';
import { completedBy, type LoggedEntry, matches, pendingAmong } from './entries';
import { isIdle, limited, MAX_BACKLOG } from './limit';
import { commit, countWaiting, messageOf, readChannels, type StateChange } from './messages';
import type { Draft } from './notice';
import type { EntryFilter } from './schema';
import {
  applied,
  type Cursor,
  changed,
  cursorIn,
  limitField,
  limitIn,
  readStates,
  recordFollowed,
  type States,
  waitingIn,
} from './state';
import { readNotifications, type StoredNotification } from './stored';
import { alarmNotice, entryNotice, moreNotice, reminderNotice } from './texts';
import { isRequest, type Waiting, waitingAfter } from './waiting';

export const FOLLOW_MS = 2 * SECOND;
const PAGE = 250;
/** Pages in one go: a long outage is caught up with in several. */
const MAX_PAGES = 20;
/** A change without an outcome for this long is sent to those who want pending ones. */
const OVERDUE_MS = 5 * MINUTE;
/** How far back the first reading of a log begins, to know which requests wait. */
const FIRST_MS = 7 * DAY;

const isSentNow = ({ when }: StoredNotification): boolean => when === 'now';
const wantsPending = ({ when, about, filter }: StoredNotification): boolean =>
  when === 'now' && about.includes('audit') && filter.outcome === 'pending';

interface Item {
  /** When the entry was written, epoch ms. */
  at: number;
  logged: LoggedEntry;
  isApproval: boolean;
}

/** What of these entries a notification is about, in their order. */
const itemsOf = (
  of: StoredNotification,
  logged: readonly LoggedEntry[],
  pending: readonly LoggedEntry[],
): Item[] => {
  const { about, filter, createdAt } = of;
  const completed = logged.flatMap((each): Item[] => {
    const { entry } = each;
    const at = Date.parse(entry.at);
    if (Date.parse(entry.finishedAt ?? entry.at) < createdAt) return [];
    if (about.includes('approvals') && isRequest(each)) return [{ at, logged: each, isApproval: true }];
    // The alarm is a message of its own.
    if (about.includes('alarms') && entry.action === 'audit.alarm') return [];
    return about.includes('audit') && matches(each, filter) ? [{ at, logged: each, isApproval: false }] : [];
  });
  if (!wantsPending(of)) return completed;
  const overdue = pending.filter((each) => matches(each, filter) && Date.parse(each.entry.at) >= createdAt);
  return [
    ...completed,
    ...overdue.map((each) => ({ at: Date.parse(each.entry.at), logged: each, isApproval: false })),
  ];
};

const filterOf = ({ about, filter }: StoredNotification): EntryFilter =>
  about.includes('audit') ? filter : { action: '.request' };

/** The requests that a notification must send a reminder of. */
const overdueOf = (
  { id, about, when, remindAfterHours }: StoredNotification,
  waiting: readonly Waiting[],
  now: number,
): Waiting[] =>
  when === 'now' && about.includes('approvals') && remindAfterHours !== null
    ? waiting.filter(({ at, reminded }) => at <= now - remindAfterHours * HOUR && !reminded.includes(id))
    : [];

interface Page {
  logged: readonly LoggedEntry[];
  pending: readonly LoggedEntry[];
  /** A new alarm. */
  alarm: { since: number; problem: string } | null;
  waiting: readonly Waiting[];
}

interface Plan {
  notices: Draft[];
  /** Ids of requests whose reminder is among them. */
  reminded: string[];
  state: StateChange[];
}

/** What a notification sends of a page. */
const planOf = (of: StoredNotification, page: Page, states: States, backlog: number, now: number): Plan => {
  const { id, name, about } = of;
  const items = itemsOf(of, page.logged, page.pending);
  const { state, single, more } = limited(limitIn(states, id), items, backlog, now);
  const notices = more ? [moreNotice(name, more.count, filterOf(of), { from: more.from, now })] : [];
  for (const { logged, isApproval } of single) notices.push(entryNotice(name, logged.entry, isApproval, now));
  const overdue = backlog < MAX_BACKLOG ? overdueOf(of, page.waiting, now) : [];
  if (overdue.length > 0) notices.push(reminderNotice(name, overdue, now));
  if (page.alarm && about.includes('alarms')) notices.push(alarmNotice(name, page.alarm, now));
  return {
    notices,
    reminded: overdue.map((each) => each.id),
    state: changed(states, limitField(id), isIdle(state) ? null : state),
  };
};

/** The next rows for those who want changes without an outcome. */
const readTrail = async (
  store: Store,
  all: readonly StoredNotification[],
  from: string | null,
  now: number,
) => {
  const wanting = all.filter(wantsPending);
  if (wanting.length === 0) return { trail: null, pending: [] };
  const begin = from ?? `${Math.min(...wanting.map(({ createdAt }) => createdAt))}-0`;
  const rows = await rowsFrom(store, `(${begin}`, String(now - OVERDUE_MS), PAGE);
  return { trail: rows.at(-1)?.streamId ?? begin, pending: await pendingAmong(store, rows) };
};

interface Sent {
  changes: StateChange[];
  notices: { of: StoredNotification; notice: Draft }[];
}

/** What all notifications send of a page. Notes in its waiting requests who sent a reminder. */
const sentOf = async (
  store: Store,
  all: readonly StoredNotification[],
  page: Page,
  states: States,
  now: number,
): Promise<Sent> => {
  const sent: Sent = { changes: [], notices: [] };
  const backlog = await countWaiting(store);
  for (const of of all.filter(isSentNow)) {
    const plan = planOf(of, page, states, backlog.get(of.id) ?? 0, now);
    sent.changes.push(...plan.state);
    sent.notices.push(...plan.notices.map((notice) => ({ of, notice })));
    for (const each of page.waiting)
      if (plan.reminded.includes(each.id)) each.reminded = [...each.reminded, of.id];
  }
  const known = new Set(all.filter(isSentNow).map(({ id }) => limitField(id)));
  const old = Object.keys(states).filter((field) => field.startsWith(limitField('')) && !known.has(field));
  sent.changes.push(...old.flatMap((field) => changed(states, field, null)));
  return sent;
};

/** Reads a page of the log and stores what is sent of it; null when another process did so, or there is no more. */
const followPage = async (store: Store, states: States, now: number): Promise<States | null> => {
  const before: Cursor = cursorIn(states) ?? { place: `${now - FIRST_MS}-0`, trail: null, alarm: null };
  const rows = await rowsFrom(store, `(${before.place}`, '+', PAGE);
  // After the rows: a notification that is older than a row is among these.
  const all = await readNotifications(store);
  const logged = await completedBy(store, rows);
  const { trail, pending } = await readTrail(store, all, before.trail, now);
  const alarm = await readWatch(store, 'alarm');
  const waiting = waitingAfter(waitingIn(states), logged, now);
  const page: Page = {
    logged,
    pending,
    waiting,
    alarm: alarm && alarm.since !== before.alarm ? alarm : null,
  };
  const { changes, notices } = await sentOf(store, all, page, states, now);
  const place = rows.at(-1)?.streamId ?? before.place;
  changes.push(
    ...changed(states, 'cursor', { place, trail, alarm: alarm?.since ?? null }),
    ...changed(states, 'waiting', waiting.length === 0 ? null : waiting),
  );
  if (changes.length > 0 || notices.length > 0) {
    const used = notices.flatMap(({ of }) => of.channels.map(({ connection }) => connection));
    const channels = await readChannels(store, used);
    const messages = await Promise.all(notices.map(({ of, notice }) => messageOf(of, notice, channels)));
    const added = messages.flatMap((after) => (after ? [{ before: '', after }] : []));
    if (!(await commit(store, changes, added))) return null;
  }
  return rows.length < PAGE ? null : applied(states, changes);
};

/** Follows the audit log from where it was last read, and stores the messages of what notifications are about. */
export const followAudit = async (store: Store, clock: () => number = Date.now): Promise<void> => {
  const first = await readStates(store);
  let states: States | null = first;
  for (let pages = 0; states !== null && pages < MAX_PAGES; pages += 1)
    states = await followPage(store, states, clock());
  await recordFollowed(store, first, clock());
};

/** Follows the log in one process at a time. Never throws. */
export const followNotifications = async (store: Store): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: 'notifications' });
  try {
    await withLease(store, lease, { ms: 10 * FOLLOW_MS, renewed: true }, () => followAudit(store));
  } catch (error) {
    if (!isStoreUnavailable(error)) logBroken('notifications of the audit log', error);
  }
};
