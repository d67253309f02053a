import 'server-only';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { IntentRecord, OutcomeRecord } from './entries';
import type { SubjectKind } from './schema';

/** What a history is about: its kind and its name, as the entries record it. */
export type Subject = `${SubjectKind} ${string}`;

/** The parts of a change that name its subjects; without its outcome `before` and `after` are null. */
type Change = Pick<IntentRecord, 'action' | 'connection' | 'target' | 'actor'> &
  Pick<OutcomeRecord, 'before' | 'after'>;

/** A field of what a change recorded; undefined where there is none. */
export const part = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The entries that one side of a change of bans or blocked projects names, as texts or with their notes. */
const entriesIn = (side: unknown): unknown[] =>
  list(Array.isArray(side) ? side : part(side, 'entries')).map((entry) => part(entry, 'ip') ?? entry);

/**
 * Names that only the outcome has: a variable's new name, the variables of an import, the users a filter matched, the
 * entries of a list, a user's e-mail address.
 */
export const namedByOutcome = ({ before, after }: Pick<OutcomeRecord, 'before' | 'after'>): string[] =>
  [
    part(after, 'name'),
    ...list(part(after, 'changes')).map((change) => part(change, 'name')),
    ...list(part(before, 'users')),
    ...[before, after].flatMap((side) => [part(side, 'email'), ...entriesIn(side)]),
  ].filter((name) => typeof name === 'string');

const subjects = (kind: SubjectKind, names: readonly (string | null | undefined)[]): Subject[] =>
  [...new Set(names)].flatMap((name): Subject[] => (name ? [`${kind} ${name}`] : []));

const variables = (change: Change): Subject[] =>
  subjects('variable', [change.target, ...namedByOutcome(change)]);

/** The user in a target, as the commands of sessions and tokens write it. */
const users = (change: Change): Subject[] =>
  subjects('user', [/^user (\S+) \(/.exec(change.target ?? '')?.[1], ...namedByOutcome(change)]);

/** Several entries have a number as their target: "3 addresses". */
const entries =
  (kind: 'address' | 'project') =>
  ({ target, before, after }: Change): Subject[] => {
    const named = [before, after].flatMap(entriesIn).filter((entry) => typeof entry === 'string');
    return subjects(kind, [target?.includes(' ') ? null : target, ...named]);
  };

const FAMILY = /^([\w-]+\.[\w.-]+)(?: \(|: |$)/;
/** Its kind is written with its application or without. */
const ENTITY = /^(?!pattern )(?:[\w-]+\.)?([\w-]+) ([^\s(]\S*?)(?: \(\d+ of \d+ branches\))?(?:: \d+ s.*)?$/;

/** A family, or an entity, in a target as `lib/families` writes it. A user's sessions and caches have one history. */
const cached = ({ target }: Change): Subject[] => {
  const [, kind, id] = ENTITY.exec(target ?? '') ?? [];
  if (id === undefined) return subjects('family', [FAMILY.exec(target ?? '')?.[1]]);
  return kind === 'user' ? subjects('user', [id]) : subjects('entity', [`${kind} ${id}`]);
};

/** Users of the console, by their e-mail addresses, which never change. */
const accounts = ({ action, actor, target, before, after }: Change): Subject[] => {
  const own = action.startsWith('account.') ? actor : null;
  const names = [own, target, part(before, 'email'), part(after, 'email')];
  const emails = names.filter((name) => typeof name === 'string' && name.includes('@')) as string[];
  return subjects(
    'account',
    emails.map((email) => email.toLowerCase()),
  );
};

/** A request, and a decision on one, are about what the requested change is about. */
const requested = ({ target, ...change }: Change): Subject[] => {
  const [, action, of] = /^([a-z]\w*(?:\.\w+)+): (.+)$/s.exec(target ?? '') ?? [];
  if (!action || of === undefined || action.startsWith('approvals.')) return [];
  return subjectsOf({ ...change, action, target: of, before: null, after: null });
};

/** By the beginning of the operationId; the longer one counts. */
const SUBJECTS = new Map<string, (change: Change) => Subject[]>([
  ['flags', variables],
  ['env', variables],
  ['sessions', users],
  ['tokens', users],
  ['families', cached],
  ['guard.blacklist', entries('address')],
  ['guard.projects', entries('project')],
  ['guard.rateLimits', entries('project')],
  ['users', accounts],
  ['account', accounts],
  ['session', accounts],
  ['approvals', requested],
]);

/** What a change is about. */
export const subjectsOf = (change: Change): Subject[] => {
  const [domain = '', part = ''] = change.action.split('.');
  return (SUBJECTS.get(`${domain}.${part}`) ?? SUBJECTS.get(domain))?.(change) ?? [];
};

/** Users of the console are no part of a connection. */
export const isOfConsole = (subject: Subject): boolean => subject.startsWith('account ');

/** The index of a subject: a sorted set of stream ids by sequence number. The digest in its name hides the subject. */
export const indexOf = (connection: string | null, subject: Subject): Buffer =>
  consoleFamilies.auditSubject.key({
    digest: digest('audit-digest', `subject\0${isOfConsole(subject) ? '' : connection}\0${subject}`, 22),
  });

/** The indexes that must include a change. Readers verify what an index points to. */
export const indexesOf = (change: Change): Buffer[] =>
  subjectsOf(change)
    .filter((subject) => change.connection !== null || isOfConsole(subject))
    .map((subject) => indexOf(change.connection, subject));
