import 'server-only';
import { walkEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import { readWatch } from '@/lib/audit/watch-record';
import type { Store } from '@/lib/redis/store';
import { iso, utcText } from '@/lib/time';
import { type Draft, oneLineOf, type Texts } from './notice';
import type { EntryFilter } from './schema';
import type { StoredNotification } from './stored';
import { pathOfFilter, shortened, waitingLine } from './texts';
import type { Waiting } from './waiting';

/** Rows of the log that a digest reads. */
const MAX_EXAMINED = 100_000;
const MAX_ACTIONS = 20;
const MAX_ACTORS = 5;

/** What was refused or failed first. */
const ORDER = ['failed', 'pending', 'succeeded'] as const;
type Outcome = (typeof ORDER)[number];

const indented = (line: string): string => `  ${line}`;

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
  { t, action: inWords }: Texts,
  { total, actions, actors, isPartial }: Counts,
): string[] => {
  if (total === 0) return [t('sentTexts.digest.noEntries')];
  const lines = actions.map(({ action, outcome, count }) =>
    t('sentTexts.digest.action', { count, outcome, action: oneLineOf(inWords(action)) }),
  );
  return [
    t('sentTexts.digest.entries', { count: total }),
    ...shortened(t, lines.map(indented), MAX_ACTIONS),
    t('sentTexts.digest.active'),
    ...actors.map(({ actor, count }) =>
      indented(t('sentTexts.digest.actor', { actor: oneLineOf(actor), count })),
    ),
    ...(isPartial ? [t('sentTexts.digest.partial', { count: MAX_EXAMINED })] : []),
  ];
};

interface Alarms {
  /** With their times. */
  problems: string[];
  /** The time of the alarm that waits for an admin, epoch ms. */
  openSince: number | null;
}

const alarmsIn = async (store: Store, window: Window): Promise<Alarms> => {
  const entries: AuditEntry[] = [];
  for await (const { entry } of entriesIn(store, { action: 'audit.alarm' }, window))
    if (entry) entries.push(entry);
  const open = await readWatch(store, 'alarm');
  return {
    problems: entries.map(({ at, detail }) => `${utcText(Date.parse(at))}: ${oneLineOf(detail ?? '')}`),
    openSince: open?.since ?? null,
  };
};

const alarmLines = ({ t }: Texts, { problems, openSince }: Alarms): string[] => {
  const open = openSince === null ? [] : [t('sentTexts.digest.openAlarm', { at: utcText(openSince) })];
  const lines = shortened(t, [...problems, ...open]).map(indented);
  return lines.length === 0 ? [] : [t('sentTexts.digest.alarms'), ...lines];
};

const waitingLines = (texts: Texts, waiting: readonly Waiting[], now: number): string[] => {
  const lines = waiting.map((each) => waitingLine(texts, each, now));
  const title = texts.t('sentTexts.digest.waiting', { count: waiting.length });
  return waiting.length === 0 ? [] : [title, ...shortened(texts.t, lines).map(indented)];
};

/** A day's digest of a notification; null if nothing happened and it wants none then. */
export const digestNotice = async (
  store: Store,
  { name, about, filter, skipEmpty }: StoredNotification,
  waiting: readonly Waiting[],
  window: Window,
): Promise<Draft | null> => {
  const counts = about.includes('audit') ? await countEntries(store, filter, window) : null;
  const open = about.includes('approvals') ? waiting : [];
  const found = about.includes('alarms') ? await alarmsIn(store, window) : { problems: [], openSince: null };
  const alarms = found.problems.length + (found.openSince === null ? 0 : 1);
  const failed = counts?.actions.filter(({ outcome }) => outcome === 'failed') ?? [];
  const isEmpty = (counts?.total ?? 0) + open.length + alarms === 0;
  if (isEmpty && skipEmpty) return null;
  return {
    event: 'digest',
    notification: name,
    at: window.to,
    write: (texts) => ({
      title: texts.t('sentTexts.digest.title', { name: oneLineOf(name) }),
      lines: [
        texts.t('sentTexts.digest.span', { from: utcText(window.from), to: utcText(window.to) }),
        ...alarmLines(texts, found),
        ...(counts && !isEmpty ? countLines(texts, counts) : []),
        ...waitingLines(texts, open, window.to),
        ...(isEmpty ? [texts.t('sentTexts.digest.nothing')] : []),
      ],
    }),
    tone: alarms > 0 ? 'bad' : failed.length + open.length > 0 ? 'warn' : 'plain',
    path: pathOfFilter(about.includes('audit') ? filter : {}, window.from),
    data: {
      digest: {
        from: iso(window.from),
        to: iso(window.to),
        entries: counts?.total ?? null,
        actions: counts?.actions ?? [],
        actors: (counts?.actors ?? []).map((each) => ({ ...each, actor: oneLineOf(each.actor) })),
        waiting: open.length,
        alarms,
      },
    },
  };
};
