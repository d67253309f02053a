import 'server-only';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import { walkAbout } from '@/lib/audit/subject-index';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import type { PageInput } from '@/lib/list-page';
import { flagsNeedApproval } from '@/lib/values/two-person';
import { isFlagName } from './names';
import { flagContracts } from './schema';
import { missing, shownText } from './state';

/** What changes a flag: through this page, or as the environment variable it is. */
const ACTIONS = [
  ...[flagContracts.set, flagContracts.create, flagContracts.delete, flagContracts.approve].map(
    ({ id }) => id,
  ),
  // Nothing changes then, but whoever asked wants to know, and why.
  flagContracts.decline.id,
  ...['env.set', 'env.create', 'env.delete'],
];
const RENAME = 'env.rename';
/** One entry of the log for many variables. */
const MANY = ['env.import', 'env.restore'];

type Change = Result<typeof flagContracts.history>['items'][number];

const field = (state: unknown, ...names: string[]): string | null => {
  if (typeof state !== 'object' || state === null) return null;
  const found = names.map((name) => (state as Record<string, unknown>)[name]);
  const text = found.find((value) => typeof value === 'string');
  return typeof text === 'string' ? text : null;
};

/** A text of the log as people who may not see variables may see it. */
const shown = (name: string, state: unknown): string | null => {
  const text = field(state, 'raw', 'value');
  return text === null ? null : shownText(name, text);
};

const actorsOf = ({ action, actor, after }: AuditEntry): string => {
  const approvedBy = field(after, 'approvedBy');
  const requestedBy = action === flagContracts.approve.id ? field(after, 'requestedBy') : null;
  if (requestedBy) return `${requestedBy}, approved by ${actor}`;
  return approvedBy ? `${actor}, approved by ${approvedBy}` : actor;
};

const reasonOf = ({ after, reason }: AuditEntry): string | null => {
  const asked = field(after, 'requestReason');
  return asked && reason ? `${asked} (${reason})` : (asked ?? reason);
};

const toChange = (ctx: ReadContext, name: string, entry: AuditEntry): Change => {
  const declined = entry.action === flagContracts.decline.id;
  return {
    auditId: entry.id,
    at: entry.at,
    actor: actorsOf(entry),
    from: declined ? null : shown(name, entry.before),
    to: declined ? null : shown(name, entry.after),
    reason: reasonOf(entry),
    action: entry.action,
    outcome: entry.outcome,
    // Who may toggle may not take a variable's change back, and where two are needed nobody takes back alone.
    undoUntil: entry.action.startsWith('flags.') && !flagsNeedApproval(ctx) ? entry.undoUntil : null,
    undoneBy: entry.undoneBy,
  };
};

/** What an entry says of this flag: of many variables or a rename as if it were about the flag alone; null for nothing. */
const ofFlag = (entry: AuditEntry, name: string): AuditEntry | null => {
  if (entry.action === RENAME)
    return entry.target === name || field(entry.after, 'name') === name
      ? { ...entry, before: null, after: null }
      : null;
  if (!MANY.includes(entry.action)) return entry.target === name ? entry : null;
  const changes = (entry.after as { changes?: unknown } | null)?.changes;
  if (!Array.isArray(changes)) return null;
  const change = changes.find((each) => field(each, 'name') === name) as
    | { from?: never; to?: never }
    | undefined;
  return change ? { ...entry, before: change.from ?? null, after: change.to ?? null } : null;
};

/** A refused attempt, or an approval that only planned or did not fit, changed nothing; a pending one may have. */
const isChange = ({ action, outcome, after }: AuditEntry): boolean =>
  outcome !== 'failed' &&
  (action !== flagContracts.approve.id || outcome === 'pending' || field(after, 'state') === 'applied');

/** A flag's change; of an undo the two values of what it took back, the other way round. Null for what is neither. */
const changeOf = async (ctx: ReadContext, name: string, entry: AuditEntry): Promise<Change | null> => {
  if (entry.action !== undoContract.id) {
    const own = ofFlag(entry, name);
    return own && isChange(own) ? toChange(ctx, name, own) : null;
  }
  const undone = await findEntry(ctx.store, entry.target ?? '');
  if (undone?.undoneBy !== entry.id) return null;
  const change = await changeOf(ctx, name, undone);
  return change && { ...toChange(ctx, name, entry), from: change.to, to: change.from };
};

const HISTORY = 200;
/** Entries of the audit log looked through for one page: a flag that changed long ago in a busy log is still found. */
const MAX_EXAMINED = 100_000;

/** A flag's changes and their undoings, newest first, from the audit log: whoever sees a flag sees these. */
export const flagHistory = async (
  ctx: ReadContext,
  { name, cursor, limit = HISTORY }: { name: string } & PageInput,
): Promise<Result<typeof flagContracts.history>> => {
  if (!isFlagName(name)) throw missing();
  const items: Change[] = [];
  const filter = {
    actions: [...ACTIONS, ...MANY, RENAME, undoContract.id],
    wanted: ({ action, target }: Pick<AuditEntry, 'action' | 'target'>) =>
      target === name || !ACTIONS.includes(action),
    connection: ctx.connection.config.id,
    cursor,
  };
  const entries = walkAbout(ctx.store, filter, () => `variable ${name}`);
  for await (const { entry, place, examined } of entries) {
    const change = entry && (await changeOf(ctx, name, entry));
    if (change) items.push(change);
    if (items.length === limit || examined >= MAX_EXAMINED) return { items, nextCursor: place };
  }
  return { items, nextCursor: null };
};
