import 'server-only';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { IntentRecord, OutcomeRecord } from './entries';

/** What a history is about: a variable (a flag is one), or a user of the application. */
export type Subject = `variable ${string}` | `user ${string}`;

/** The parts of a change that name its subjects; without its outcome `before` and `after` are null. */
type Change = Pick<IntentRecord, 'action' | 'connection' | 'target'> &
  Pick<OutcomeRecord, 'before' | 'after'>;

/** The operations with histories, by the first word of the operationId. */
const KINDS = new Map<string | undefined, 'variable' | 'user'>([
  ['flags', 'variable'],
  ['env', 'variable'],
  ['sessions', 'user'],
  ['tokens', 'user'],
]);

/** A field of what a change recorded; undefined where there is none. */
export const part = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Subjects that only the outcome names: a variable's new name, the variables of an import, the users a filter matched.
 */
export const namedByOutcome = ({ before, after }: Pick<OutcomeRecord, 'before' | 'after'>): string[] =>
  [
    part(after, 'name'),
    ...list(part(after, 'changes')).map((change) => part(change, 'name')),
    ...list(part(before, 'users')),
  ].filter((name) => typeof name === 'string');

/** The user in a target, as the commands of sessions and tokens write it. */
const userOf = (target: string): string | undefined => /^user (\S+) \(/.exec(target)?.[1];

/** The index of a subject: a sorted set of stream ids by sequence number. The digest in its name hides the subject. */
export const indexOf = (connection: string, subject: Subject): Buffer =>
  consoleFamilies.auditSubject.key({
    digest: digest('audit-digest', `subject\0${connection}\0${subject}`, 22),
  });

/** The indexes that must include a change. Readers verify what an index points to. */
export const indexesOf = ({ action, connection, target, ...outcome }: Change): Buffer[] => {
  const kind = KINDS.get(action.split('.')[0]);
  if (kind === undefined || connection === null) return [];
  const own = kind === 'user' ? userOf(target ?? '') : target;
  const names = new Set([...(own ? [own] : []), ...namedByOutcome(outcome)]);
  return [...names].map((name) => indexOf(connection, `${kind} ${name}`));
};
