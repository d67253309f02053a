import 'server-only';
import { walkEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import { readWatch } from '@/lib/audit/watch-record';
import { formatCount, plural } from '@/lib/format';
import type { Store } from '@/lib/redis/store';
import { iso, utcText } from '@/lib/time';
import { actionWords } from './action-words';
import { type Notice, oneLineOf } from './notice';
import type { EntryFilter } from './schema';
import type { StoredNotification } from './stored';
import { pathOfFilter, shortened, waitingLine } from './texts';
import type { Waiting } from './waiting';

/** Rows of the log that a digest reads. */
const MAX_EXAMINED = 100_000;
const MAX_ACTIONS = 20;
const MAX_ACTORS = 5;

/** In this order: what was refused or failed first. */
const OUTCOMES = { failed: 'refused or failed', pending: 'without outcome', succeeded: 'succeeded' } as const;
type Outcome = keyof typeof OUTCOMES;
const ORDER = Object.keys(OUTCOMES) as Outcome[];

interface Counts {
  total: number;
  actions: { action: string; outcome: Outcome; count: number }[];
  actors: { actor: string; count: number }[];
  isPartial: boolean;
}

interface Window {
  /** Epoch ms, both included. */
  from: number;
  to: number;
}

async function* entriesIn(store: Store, filter: EntryFilter, { from, to }: Window) {
  for await (const { entry, examined } of walkEntries(store, { ...filter, from: iso(from), to: iso(to) })) {
    if (entry) yield { entry, isPartial: false };
    if (examined < MAX_EXAMINED) continue;
    yield { entry: null, isPartial: true };
    return;
  }
}

const add = (counts: Map<string, number>, key: string): unknown =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

const countEntries = async (store: Store, filter: EntryFilter, window: Window): Promise<Counts> => {
  const [actions, actors] = [new Map<string, number>(), new Map<string, number>()];
  let [total, isPartial] = [0, false];
  for await (const each of entriesIn(store, filter, window)) {
    isPartial = each.isPartial;
    if (!each.entry) continue;
    total += 1;
    add(actions, `${each.entry.outcome} ${each.entry.action}`);
    add(actors, each.entry.actor);
  }
  const groups = [...actions].map(([key, count]) => {
    const [outcome, action = ''] = key.split(' ') as [Outcome, string];
    return { action, outcome, count };
  });
  groups.sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) || b.count - a.count);
  const active = [...actors].map(([actor, count]) => ({ actor, count })).sort((a, b) => b.count - a.count);
  return { total, actions: groups, actors: active.slice(0, MAX_ACTORS), isPartial };
};

const countLines = (
  words: (action: string) => string,
  { total, actions, actors, isPartial }: Counts,
): string[] => {
  if (total === 0) return ['No entries of the audit log.'];
  const lines = actions.map(
    ({ action, outcome, count }) =>
      `  ${formatCount(count)} ${OUTCOMES[outcome]}: ${oneLineOf(words(action))}`,
  );
  return [
    `${plural(total, 'entry', 'entries')} of the audit log:`,
    ...shortened(lines, MAX_ACTIONS),
    'Most active:',
    ...actors.map(({ actor, count }) => `  ${oneLineOf(actor)}: ${formatCount(count)}`),
    ...(isPartial ? [`Only the newest ${formatCount(MAX_EXAMINED)} rows were counted.`] : []),
  ];
};

const alarmsIn = async (store: Store, window: Window): Promise<string[]> => {
  const problems: AuditEntry[] = [];
  for await (const { entry } of entriesIn(store, { action: 'audit.alarm' }, window))
    if (entry) problems.push(entry);
  const open = await readWatch(store, 'alarm');
  return [
    ...problems.map(({ at, detail }) => `${utcText(Date.parse(at))}: ${oneLineOf(detail ?? '')}`),
    ...(open ? [`Not acknowledged: the alarm of ${utcText(open.since)}`] : []),
  ];
};

/** A day's digest of a notification; null if nothing happened and it wants none then. */
export const digestNotice = async (
  store: Store,
  { name, about, filter, skipEmpty }: StoredNotification,
  waiting: readonly Waiting[],
  window: Window,
): Promise<Notice | null> => {
  const words = await actionWords();
  const counts = about.includes('audit') ? await countEntries(store, filter, window) : null;
  const open = about.includes('approvals') ? waiting : [];
  const alarms = about.includes('alarms') ? await alarmsIn(store, window) : [];
  const failed = counts?.actions.filter(({ outcome }) => outcome === 'failed') ?? [];
  const isEmpty = (counts?.total ?? 0) + open.length + alarms.length === 0;
  if (isEmpty && skipEmpty) return null;
  const lines = [
    `From ${utcText(window.from)} to ${utcText(window.to)}`,
    ...(alarms.length > 0
      ? ['Alarms of the audit log:', ...shortened(alarms).map((line) => `  ${line}`)]
      : []),
    ...(counts && !isEmpty ? countLines(words, counts) : []),
    ...(open.length > 0
      ? [
          `${plural(open.length, 'request waits', 'requests wait')} for approval:`,
          ...shortened(open.map((each) => waitingLine(words, each, window.to))).map((line) => `  ${line}`),
        ]
      : []),
    ...(isEmpty ? ['Nothing happened.'] : []),
  ];
  return {
    event: 'digest',
    notification: name,
    at: window.to,
    title: `Daily digest: ${oneLineOf(name)}`,
    lines,
    tone: alarms.length > 0 ? 'bad' : failed.length + open.length > 0 ? 'warn' : 'plain',
    path: pathOfFilter(about.includes('audit') ? filter : {}, window.from),
    data: {
      digest: {
        from: iso(window.from),
        to: iso(window.to),
        entries: counts?.total ?? null,
        actions: counts?.actions ?? [],
        actors: (counts?.actors ?? []).map((each) => ({ ...each, actor: oneLineOf(each.actor) })),
        waiting: open.length,
        alarms: alarms.length,
      },
    },
  };
};
