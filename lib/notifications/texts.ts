import 'server-only';
import type { AuditEntry } from '@/lib/audit/schema';
import { formatDuration } from '@/lib/format';
import { isRole } from '@/lib/permissions';
import type { SentTexts } from '@/lib/sent-texts';
import { iso, SECOND, utcText } from '@/lib/time';
import { type Draft, oneLineOf, type Texts } from './notice';
import type { EntryFilter } from './schema';
import type { Waiting } from './waiting';

/** Domains whose targets are no keys, members of keys or typed lines. A message has no target of any other domain. */
const WITHOUT_KEYS =
  /^(?:account|alerts|analysis|annotations|audit|clients|env|flags|guard|hitRates|jobs|notifications|ofrep|profiler|savedViews|session|sessions|slowlog|tokens|users)\./;
/** The target of a request for another operation begins with that. */
const OF_OPERATION = /^([a-z]\w*(?:\.\w+)+): /;

const targetOf = ({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string | null => {
  const [, operation] = (target !== null && OF_OPERATION.exec(target)) || [];
  if (target !== null && target !== '' && WITHOUT_KEYS.test(operation ?? action)) return oneLineOf(target);
  return operation ?? null;
};

type Of = Pick<AuditEntry, 'action' | 'target' | 'connection'>;

/** "Change a feature flag: FEATURE_X (demo)". */
const sentenceOf = ({ t, action }: Texts, of: Of): string => {
  const target = targetOf(of);
  const what = action(of.action);
  const sentence = target === null ? what : t('sentTexts.notification.withTarget', { action: what, target });
  return of.connection === null
    ? sentence
    : t('sentTexts.notification.onConnection', { sentence, connection: of.connection });
};

const pathOf = (id: string): string => `/audit?entry=${encodeURIComponent(id)}`;

/** The page of all entries that a filter matches. */
export const pathOfFilter = (filter: EntryFilter, from: number): string =>
  `/audit?${new URLSearchParams({ ...filter, from: iso(from) })}`;

const whoLine = ({ actor, role }: AuditEntry, t: SentTexts): string =>
  isRole(role)
    ? t('sentTexts.notification.actorWithRole', { actor: oneLineOf(actor), role })
    : t('sentTexts.notification.actor', { actor: oneLineOf(actor) });

const TONES = { succeeded: 'plain', failed: 'bad', pending: 'warn' } as const;

const entryLines = ({ t, action }: Texts, entry: AuditEntry): string[] => {
  const { at, connection, outcome, reason } = entry;
  const target = targetOf(entry);
  const lines = [
    whoLine(entry, t),
    t('sentTexts.notification.action', { action: action(entry.action) }),
    target !== null && t('sentTexts.notification.target', { target }),
    connection !== null && t('sentTexts.notification.connection', { connection }),
    t('sentTexts.notification.outcome', { outcome: t(`sentTexts.notification.outcomes.${outcome}`) }),
    t('sentTexts.notification.at', { at: utcText(Date.parse(at)) }),
    reason !== null && t('sentTexts.notification.reason', { reason: oneLineOf(reason) }),
  ];
  return lines.filter((line) => line !== false);
};

/** A message about one entry, or about the request that it is. */
export const entryNotice = (
  notification: string,
  entry: AuditEntry,
  isApproval: boolean,
  now: number,
): Draft => {
  const { id, at, action, connection, outcome, reason } = entry;
  return {
    event: isApproval ? 'approval' : 'entry',
    notification,
    at: now,
    write: (texts) => {
      const { t } = texts;
      const sentence = sentenceOf(texts, entry);
      return {
        title: isApproval
          ? t('sentTexts.notification.approval', { sentence })
          : t('sentTexts.notification.entry', {
              outcome: t(`sentTexts.notification.outcomes.${outcome}`),
              sentence,
            }),
        lines: entryLines(texts, entry),
      };
    },
    tone: isApproval ? 'warn' : TONES[outcome],
    path: pathOf(id),
    data: {
      entry: {
        ...{ id, at, action, connection, outcome, target: targetOf(entry) },
        actor: oneLineOf(entry.actor),
        role: entry.role,
        reason: reason === null ? null : oneLineOf(reason),
      },
    },
  };
};

/** "Request a flag change: X (demo), by Ann, 26 h ago". */
export const waitingLine = (texts: Texts, each: Waiting, now: number): string =>
  texts.t('sentTexts.notification.waiting', {
    sentence: sentenceOf(texts, each),
    actor: oneLineOf(each.actor),
    age: formatDuration((now - each.at) / SECOND, texts.language),
  });

const MAX_LINES = 10;

/** The first lines, and how many are left out. */
export const shortened = (t: SentTexts, lines: readonly string[], max = MAX_LINES): string[] =>
  lines.length <= max
    ? [...lines]
    : [...lines.slice(0, max), t('sentTexts.notification.andMore', { count: lines.length - max })];

/** One reminder of all requests that have waited too long. */
export const reminderNotice = (notification: string, waiting: readonly Waiting[], now: number): Draft => ({
  event: 'reminder',
  notification,
  at: now,
  write: (texts) => ({
    title: texts.t('sentTexts.notification.reminder', { count: waiting.length }),
    lines: shortened(
      texts.t,
      waiting.map((each) => waitingLine(texts, each, now)),
    ),
  }),
  tone: 'warn',
  path: waiting.length === 1 ? pathOf(waiting[0]!.id) : '/audit?action=.request',
  data: {
    waiting: waiting.map(({ id, action, connection, at }) => ({ id, action, connection, at: iso(at) })),
  },
});

export const alarmNotice = (
  notification: string,
  { since, problem }: { since: number; problem: string },
  now: number,
): Draft => ({
  event: 'alarm',
  notification,
  at: now,
  write: ({ t }) => ({
    title: t('sentTexts.notification.alarm.title'),
    lines: [
      t('sentTexts.notification.alarm.problem', { problem: oneLineOf(problem) }),
      t('sentTexts.notification.alarm.detected', { at: utcText(since) }),
      t('sentTexts.notification.alarm.acknowledge'),
    ],
  }),
  tone: 'bad',
  path: '/audit',
  data: { alarm: { since: iso(since), problem: oneLineOf(problem) } },
});

/** What the limit of messages held back. */
export const moreNotice = (
  notification: string,
  count: number,
  filter: EntryFilter,
  { from, now }: { from: number; now: number },
): Draft => ({
  event: 'more',
  notification,
  at: now,
  write: ({ t }) => ({
    title: t('sentTexts.notification.more.title', { count, name: oneLineOf(notification) }),
    lines: [
      t('sentTexts.notification.more.count', { count, from: utcText(from) }),
      t('sentTexts.notification.more.limit'),
    ],
  }),
  tone: 'plain',
  path: pathOfFilter(filter, from),
  data: { count, since: iso(from) },
});

export const testNotice = (notification: string, by: string, now: number): Draft => ({
  event: 'test',
  notification,
  at: now,
  write: ({ t }) => ({
    title: t('sentTexts.notification.test.title', { name: oneLineOf(notification) }),
    lines: [t('sentTexts.notification.test.text', { by: oneLineOf(by) })],
  }),
  tone: 'plain',
  path: '/audit?tab=notifications',
  data: {},
});
