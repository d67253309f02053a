import 'server-only';
import type { AuditEntry } from '@/lib/audit/schema';
import { formatDuration, plural } from '@/lib/format';
import { isRole } from '@/lib/permissions';
import { iso, SECOND, utcText } from '@/lib/time';
import { actionWords } from './action-words';
import { type Notice, oneLineOf } from './notice';
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
export const sentenceOf = (words: (action: string) => string, of: Of): string => {
  const target = targetOf(of);
  return `${words(of.action)}${target === null ? '' : `: ${target}`}${of.connection === null ? '' : ` (${of.connection})`}`;
};

const pathOf = (id: string): string => `/audit?entry=${encodeURIComponent(id)}`;

/** The page of all entries that a filter matches. */
export const pathOfFilter = (filter: EntryFilter, from: number): string =>
  `/audit?${new URLSearchParams({ ...filter, from: iso(from) })}`;

const whoOf = ({ actor, role }: AuditEntry): string =>
  `${oneLineOf(actor)}${isRole(role) ? ` (${role})` : ''}`;

const OUTCOMES = { succeeded: 'Succeeded', failed: 'Failed', pending: 'No outcome yet' } as const;
const TONES = { succeeded: 'plain', failed: 'bad', pending: 'warn' } as const;

/** A message about one entry, or about the request that it is. */
export const entryNotice = async (
  notification: string,
  entry: AuditEntry,
  isApproval: boolean,
  now: number,
): Promise<Notice> => {
  const words = await actionWords();
  const { id, at, action, connection, outcome, reason } = entry;
  const sentence = sentenceOf(words, entry);
  const target = targetOf(entry);
  const lines = [
    `Who: ${whoOf(entry)}`,
    `What: ${words(action)}`,
    target !== null && `Target: ${target}`,
    connection !== null && `Connection: ${connection}`,
    `Outcome: ${OUTCOMES[outcome]}`,
    `Time: ${utcText(Date.parse(at))}`,
    reason !== null && `Reason: ${oneLineOf(reason)}`,
  ];
  return {
    event: isApproval ? 'approval' : 'entry',
    notification,
    at: now,
    title: isApproval ? `Approval needed: ${sentence}` : `${OUTCOMES[outcome]}: ${sentence}`,
    lines: lines.filter((line) => line !== false),
    tone: isApproval ? 'warn' : TONES[outcome],
    path: pathOf(id),
    data: {
      entry: {
        ...{ id, at, action, connection, outcome, target },
        actor: oneLineOf(entry.actor),
        role: entry.role,
        reason: reason === null ? null : oneLineOf(reason),
      },
    },
  };
};

/** "Request a flag change: X (demo), by Ann, 26 h ago". */
export const waitingLine = (words: (action: string) => string, each: Waiting, now: number): string =>
  `${sentenceOf(words, each)}, by ${oneLineOf(each.actor)}, ${formatDuration((now - each.at) / SECOND)} ago`;

const MAX_LINES = 10;

/** The first lines, and how many are left out. */
export const shortened = (lines: readonly string[], max = MAX_LINES): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max), `and ${lines.length - max} more`];

/** One reminder of all requests that have waited too long. */
export const reminderNotice = async (
  notification: string,
  waiting: readonly Waiting[],
  now: number,
): Promise<Notice> => {
  const words = await actionWords();
  const [first] = waiting;
  return {
    event: 'reminder',
    notification,
    at: now,
    title: `${plural(waiting.length, 'request still waits', 'requests still wait')} for approval`,
    lines: shortened(waiting.map((each) => waitingLine(words, each, now))),
    tone: 'warn',
    path: waiting.length === 1 ? pathOf(first!.id) : '/audit?action=.request',
    data: {
      waiting: waiting.map(({ id, action, connection, at }) => ({ id, action, connection, at: iso(at) })),
    },
  };
};

export const alarmNotice = (
  notification: string,
  { since, problem }: { since: number; problem: string },
  now: number,
): Notice => ({
  event: 'alarm',
  notification,
  at: now,
  title: 'The audit log was tampered with or lost entries',
  lines: [
    `Problem: ${oneLineOf(problem)}`,
    `Detected: ${utcText(since)}`,
    'An admin must compare it with a head stored elsewhere and acknowledge the alarm.',
  ],
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
): Notice => ({
  event: 'more',
  notification,
  at: now,
  title: `and ${plural(count, 'more entry', 'more entries')}: ${oneLineOf(notification)}`,
  lines: [
    `${plural(count, 'more audit entry matches', 'more audit entries match')} since ${utcText(from)}.`,
    'They were more than ten messages a minute.',
  ],
  tone: 'plain',
  path: pathOfFilter(filter, from),
  data: { count, since: iso(from) },
});

export const testNotice = (notification: string, by: string, now: number): Notice => ({
  event: 'test',
  notification,
  at: now,
  title: `Test: ${oneLineOf(notification)}`,
  lines: [`Sent by ${oneLineOf(by)}. Nothing happened.`],
  tone: 'plain',
  path: '/audit?tab=notifications',
  data: {},
});
