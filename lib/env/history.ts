import 'server-only';
import { z } from 'zod';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import { walkAbout } from '@/lib/audit/subject-index';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { open, seal } from '@/lib/keyring';
import { isSecretName } from '@/lib/keyspace/secret-name';
import { badCursor, type PageInput } from '@/lib/list-page';
import { parseStored } from '@/lib/stored-json';
import { flagSource } from '@/lib/values/flag-source';
import { envContracts } from './schema';
import { auditName } from './secrecy';

type Item = Result<typeof envContracts.history>['items'][number];

/** A value in an audit entry, from `recordChange` or from a flag's change. */
const recorded = z
  .object({ value: z.string().nullish(), raw: z.string().nullish(), digest: z.string().nullish() })
  .nullable();
type Recorded = z.output<typeof recorded>;

/** Approvals with another state scheduled or suspended the change, so nothing was changed. */
const approved = z.object({ state: z.literal('applied') });

const many = z.object({
  changes: z.array(z.object({ name: z.string(), from: recorded.optional(), to: recorded.optional() })),
});
const named = z.object({ name: z.string() });

/** The part of an audit entry that is about one variable. */
interface Step {
  from: Recorded;
  to: Recorded;
  changed: boolean;
}

const AS_FLAG = ['flags.set', 'flags.create', 'flags.delete', 'flags.approve'];
const SINGLE = new Set([envContracts.set.id, envContracts.create.id, envContracts.delete.id, ...AS_FLAG]);
const BULK = new Set([envContracts.import.id, envContracts.restore.id]);
const ACTIONS = [...SINGLE, ...BULK, envContracts.rename.id, envContracts.reveal.id, undoContract.id];

const parsed = <T>(schema: z.ZodType<T>, value: unknown): T | null => schema.safeParse(value).data ?? null;

const sameValue = (a: Recorded, b: Recorded): boolean =>
  (a === null) === (b === null) && textOf(a) === textOf(b) && a?.digest === b?.digest;

const textOf = (value: Recorded): string | null => value?.value ?? value?.raw ?? null;

/** Whether only the beginning of the value is recorded. */
const isCut = (value: Recorded): boolean => textOf(value) !== null && Boolean(value?.digest);

/** Flags that are variables have one history: changes made as flags belong to it. */
const isOfVariables = (ctx: ReadContext, { action }: AuditEntry): boolean =>
  !AS_FLAG.includes(action) || flagSource(ctx.catalog)?.areVariables === true;

const stepOf = (ctx: ReadContext, entry: AuditEntry, name: string): Step | null => {
  if (!isOfVariables(ctx, entry)) return null;
  if (BULK.has(entry.action)) {
    const change = parsed(many, entry.after)?.changes.find((line) => line.name === name);
    return change ? { from: change.from ?? null, to: change.to ?? null, changed: true } : null;
  }
  if (SINGLE.has(entry.action)) {
    if (entry.target !== name) return null;
    if (entry.action === 'flags.approve' && parsed(approved, entry.after) === null) return null;
    const [from, to] = [parsed(recorded, entry.before), parsed(recorded, entry.after)];
    return { from, to, changed: entry.outcome === 'pending' || !sameValue(from, to) };
  }
  const renamed = entry.action === envContracts.rename.id && parsed(named, entry.after)?.name === name;
  return entry.target === name || renamed ? { from: null, to: null, changed: false } : null;
};

/** The variable's name before this entry: the old name if it is a rename to `name` that was not undone. */
const nameBefore = (entry: AuditEntry, name: string): string =>
  entry.action === envContracts.rename.id &&
  entry.undoneBy === null &&
  entry.target !== null &&
  parsed(named, entry.after)?.name === name
    ? entry.target
    : name;

/** Changes as flags have another kind of undo. */
const hasKept = ({ action, undoUntil }: AuditEntry, from: Recorded): boolean =>
  from !== null && !AS_FLAG.includes(action) && undoUntil !== null && Date.parse(undoUntil) > Date.now();

const itemOf = (entry: AuditEntry, { from, to, changed }: Step): Item => ({
  auditId: entry.id,
  at: entry.at,
  actor: entry.actor,
  action: entry.action,
  from: textOf(from),
  fromCut: isCut(from),
  kept: hasKept(entry, from),
  to: textOf(to),
  changed,
  renamed: renameOf(entry),
  reason: entry.reason,
  outcome: entry.outcome,
  undoUntil: entry.undoUntil,
  undoneBy: entry.undoneBy,
});

const renameOf = (entry: AuditEntry): Item['renamed'] => {
  const to = entry.action === envContracts.rename.id ? parsed(named, entry.after)?.name : undefined;
  return to !== undefined && entry.target !== null ? { from: entry.target, to } : null;
};

/** The entry as a history item; an undo has the values of the undone change swapped. */
const shownOf = async (ctx: ReadContext, entry: AuditEntry, name: string): Promise<Item | null> => {
  if (entry.outcome === 'failed') return null;
  if (entry.action !== undoContract.id) {
    const step = stepOf(ctx, entry, name);
    return step && itemOf(entry, step);
  }
  const undone = await findEntry(ctx.store, entry.target ?? '');
  const step = undone?.undoneBy === entry.id ? stepOf(ctx, undone, name) : null;
  return step && { ...itemOf(entry, { ...step, from: step.to, to: step.from }), kept: false };
};

const PAGE_SIZE = 200;
/** Audit entries read for one page, at most. */
const MAX_EXAMINED = 100_000;
/** Entries read after a full page, to find older names of the variable. */
const MAX_BEYOND = 10_000;

/** Cursor: the position in the log, and the variable's name below it. */
const cursorState = z.object({ place: z.string(), name: z.string(), secret: z.boolean() });
type CursorState = z.output<typeof cursorState>;

/** Sealed, so a caller cannot clear `secret`. */
const cursorOf = (at: CursorState, context: string): string =>
  seal('cursor', Buffer.from(JSON.stringify(at)), context).toString('base64url');

const readCursor = (cursor: string, context: string): CursorState => {
  const plain = open('cursor', Buffer.from(cursor, 'base64url'), context);
  const at = plain && parseStored(cursorState, plain.toString());
  if (!at) throw badCursor();
  return at;
};

/**
 * A variable's changes, reveals and undos from the audit log, newest first, across renames. If any of its names is
 * secret, no values are returned.
 */
export const variableHistory = async (
  ctx: ReadContext,
  { name, cursor, limit = PAGE_SIZE }: { name: string } & PageInput,
): Promise<Result<typeof envContracts.history>> => {
  const connection = ctx.connection.config.id;
  const context = `${connection}:${name}`;
  const from = cursor === undefined ? null : readCursor(cursor, context);
  let current = from?.name ?? auditName(name);
  let secret = from?.secret || isSecretName(name);
  let next: Omit<CursorState, 'secret'> | null = null;
  let until = MAX_EXAMINED;
  const items: Item[] = [];
  const filter = { actions: ACTIONS, connection, cursor: from?.place };
  const entries = walkAbout(ctx.store, filter, () => `variable ${current}`);
  for await (const { entry, place, examined } of entries) {
    const item = next === null && entry ? await shownOf(ctx, entry, current) : null;
    // Undo knows the variable by the name that it had then.
    if (item) items.push({ ...item, kept: item.kept && current === auditName(name) });
    if (entry && entry.outcome !== 'failed') current = nameBefore(entry, current);
    // Older names are checked beyond a full page too: if one is secret, no value may be shown.
    secret ||= isSecretName(current);
    if (next === null && (items.length === limit || examined >= until)) {
      next = { place, name: current };
      until = Math.min(until, examined + MAX_BEYOND);
    }
    if (examined >= until) break;
  }
  return {
    items: secret ? items.map((item) => ({ ...item, from: null, to: null })) : items,
    nextCursor: next && cursorOf({ ...next, secret }, context),
  };
};
