import 'server-only';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import { walkAbout } from '@/lib/audit/subject-index';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import type { PageInput } from '@/lib/list-page';
import { flagsNeedApproval } from '@/lib/values/two-person';
import { flagsOf, isFlagName } from './names';
import { flagContracts } from './schema';
import { missing, shownText } from './state';

const OF_FLAG = [
  ...[flagContracts.set, flagContracts.create, flagContracts.delete, flagContracts.approve].map(
    ({ id }) => id,
  ),
  // Changes nothing, but shows the requester why the request was declined.
  flagContracts.decline.id,
];
/** Actions on one environment variable, which may be a flag. */
const OF_VARIABLE = ['env.set', 'env.create', 'env.delete'];
const RENAME = 'env.rename';
/** Actions whose one audit entry covers many variables. */
const BULK = ['env.import', 'env.restore'];

/** The actions that change flags of this connection, by whether one entry names one flag. */
const actionsOf = (ctx: ReadContext): { single: string[]; other: string[] } =>
  flagsOf(ctx).areVariables
    ? { single: [...OF_FLAG, ...OF_VARIABLE], other: [...BULK, RENAME] }
    : { single: OF_FLAG, other: [] };

type Change = Result<typeof flagContracts.history>['items'][number];

const field = (state: unknown, ...names: string[]): string | null => {
  if (typeof state !== 'object' || state === null) return null;
  const values = names.map((name) => (state as Record<string, unknown>)[name]);
  const text = values.find((value) => typeof value === 'string');
  return typeof text === 'string' ? text : null;
};

/** A recorded value, as far as users without `env:view` may see it. */
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
    // Changes made as a variable need other permissions to undo, and where approval is needed nothing is undone directly.
    undoUntil: entry.action.startsWith('flags.') && !flagsNeedApproval(ctx) ? entry.undoUntil : null,
    undoneBy: entry.undoneBy,
  };
};

/** The entry reduced to this flag: a bulk change to its one line, a rename without values. Null if not about it. */
const ofFlag = (entry: AuditEntry, name: string): AuditEntry | null => {
  if (entry.action === RENAME)
    return entry.target === name || field(entry.after, 'name') === name
      ? { ...entry, before: null, after: null }
      : null;
  if (!BULK.includes(entry.action)) return entry.target === name ? entry : null;
  const changes = (entry.after as { changes?: unknown } | null)?.changes;
  if (!Array.isArray(changes)) return null;
  const change = changes.find((candidate) => field(candidate, 'name') === name) as
    | { from?: never; to?: never }
    | undefined;
  return change ? { ...entry, before: change.from ?? null, after: change.to ?? null } : null;
};

/** Whether the entry may have changed the flag. Failed attempts, and approvals that scheduled or suspended, did not. */
const isChange = ({ action, outcome, after }: AuditEntry): boolean =>
  outcome !== 'failed' &&
  (action !== flagContracts.approve.id || outcome === 'pending' || field(after, 'state') === 'applied');

/** The entry as a change of the flag; for an undo, the undone change with its values swapped. Null if neither. */
const changeOf = async (ctx: ReadContext, name: string, entry: AuditEntry): Promise<Change | null> => {
  if (entry.action !== undoContract.id) {
    const { single, other } = actionsOf(ctx);
    const own = [...single, ...other].includes(entry.action) ? ofFlag(entry, name) : null;
    return own && isChange(own) ? toChange(ctx, name, own) : null;
  }
  const undone = await findEntry(ctx.store, entry.target ?? '');
  if (undone?.undoneBy !== entry.id) return null;
  const change = await changeOf(ctx, name, undone);
  return change && { ...toChange(ctx, name, entry), from: change.to, to: change.from };
};

const PAGE_SIZE = 200;
/** Audit entries read for one page, at most. */
const MAX_EXAMINED = 100_000;

/** A flag's changes and undos from the audit log, newest first. Needs no `audit:view`. */
export const flagHistory = async (
  ctx: ReadContext,
  { name, cursor, limit = PAGE_SIZE }: { name: string } & PageInput,
): Promise<Result<typeof flagContracts.history>> => {
  const { single, other } = actionsOf(ctx);
  if (!isFlagName(ctx, name)) throw missing();
  const items: Change[] = [];
  const filter = {
    actions: [...single, ...other, undoContract.id],
    wanted: ({ action, target }: Pick<AuditEntry, 'action' | 'target'>) =>
      target === name || !single.includes(action),
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
