import 'server-only';
import { z } from 'zod';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import { walkAbout } from '@/lib/audit/subject-index';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { open, seal } from '@/lib/keyring';
import { badCursor, type PageInput } from '@/lib/list-page';
import { parseStored } from '@/lib/stored-json';
import { isSecretName } from '@/lib/values/secret';
import { envContracts } from './schema';
import { auditName } from './secrecy';

type Item = Result<typeof envContracts.history>['items'][number];

/** A value as `recordChange` keeps it, or what flags keep of theirs. */
const recorded = z
  .object({ value: z.string().nullish(), raw: z.string().nullish(), digest: z.string().nullish() })
  .nullable();
type Recorded = z.output<typeof recorded>;

/** An approval that only planned, or did not fit, changed nothing. */
const approved = z.object({ state: z.literal('applied') });

const many = z.object({
  changes: z.array(z.object({ name: z.string(), from: recorded.optional(), to: recorded.optional() })),
});
const named = z.object({ name: z.string() });

/** One entry of the log as far as it is about a variable. */
interface Step {
  from: Recorded;
  to: Recorded;
  changed: boolean;
}

const ONE = new Set([
  ...[envContracts.set.id, envContracts.create.id, envContracts.delete.id],
  // Flags are variables: what was done to them as flags is their history too.
  ...['flags.set', 'flags.create', 'flags.delete', 'flags.approve'],
]);
const MANY = new Set([envContracts.import.id, envContracts.restore.id]);
const ACTIONS = [...ONE, ...MANY, envContracts.rename.id, envContracts.reveal.id, undoContract.id];

const parsed = <T>(schema: z.ZodType<T>, value: unknown): T | null => schema.safeParse(value).data ?? null;

const sameValue = (a: Recorded, b: Recorded): boolean =>
  (a === null) === (b === null) && textOf(a) === textOf(b) && a?.digest === b?.digest;

const textOf = (value: Recorded): string | null => value?.value ?? value?.raw ?? null;

const stepOf = (entry: AuditEntry, name: string): Step | null => {
  if (MANY.has(entry.action)) {
    const change = parsed(many, entry.after)?.changes.find((each) => each.name === name);
    return change ? { from: change.from ?? null, to: change.to ?? null, changed: true } : null;
  }
  if (ONE.has(entry.action)) {
    if (entry.target !== name) return null;
    if (entry.action === 'flags.approve' && parsed(approved, entry.after) === null) return null;
    const [from, to] = [parsed(recorded, entry.before), parsed(recorded, entry.after)];
    return { from, to, changed: entry.outcome === 'pending' || !sameValue(from, to) };
  }
  const renamed = entry.action === envContracts.rename.id && parsed(named, entry.after)?.name === name;
  return entry.target === name || renamed ? { from: null, to: null, changed: false } : null;
};

/** The name before a rename to `name`; the same where the entry is none, or was taken back. */
const nameBefore = (entry: AuditEntry, name: string): string =>
  entry.action === envContracts.rename.id &&
  entry.undoneBy === null &&
  entry.target !== null &&
  parsed(named, entry.after)?.name === name
    ? entry.target
    : name;

const itemOf = (entry: AuditEntry, { from, to, changed }: Step): Item => ({
  auditId: entry.id,
  at: entry.at,
  actor: entry.actor,
  action: entry.action,
  from: textOf(from),
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

/** What an entry shows of the variable; of an undo the values of what it took back, the other way round. */
const shownOf = async (ctx: ReadContext, entry: AuditEntry, name: string): Promise<Item | null> => {
  if (entry.outcome === 'failed') return null;
  if (entry.action !== undoContract.id) {
    const step = stepOf(entry, name);
    return step && itemOf(entry, step);
  }
  const undone = await findEntry(ctx.store, entry.target ?? '');
  const step = undone?.undoneBy === entry.id ? stepOf(undone, name) : null;
  return step && itemOf(entry, { ...step, from: step.to, to: step.from });
};

const HISTORY = 200;
/** Entries of the audit log looked through for one page: a variable that changed long ago in a busy log is still found. */
const MAX_EXAMINED = 100_000;
/** Entries looked through below a page that is full, for older names. */
const MAX_BEYOND = 10_000;

/** Where a page goes on: below this place of the log the variable had this name. */
const placed = z.object({ place: z.string(), name: z.string(), secret: z.boolean() });
type Placed = z.output<typeof placed>;

/** Sealed: whether a name was secret is not for the caller to say. */
const cursorOf = (at: Placed, context: string): string =>
  seal('cursor', Buffer.from(JSON.stringify(at)), context).toString('base64url');

const readCursor = (cursor: string, context: string): Placed => {
  const plain = open('cursor', Buffer.from(cursor, 'base64url'), context);
  const at = plain && parseStored(placed, plain.toString());
  if (!at) throw badCursor();
  return at;
};

/**
 * A variable's changes, reveals and their undoings, newest first, through its renames, from the audit log. Where any of
 * its names is secret, or a value was, it says only that it changed.
 */
export const variableHistory = async (
  ctx: ReadContext,
  { name, cursor, limit = HISTORY }: { name: string } & PageInput,
): Promise<Result<typeof envContracts.history>> => {
  const connection = ctx.connection.config.id;
  const context = `${connection}:${name}`;
  const from = cursor === undefined ? null : readCursor(cursor, context);
  let current = from?.name ?? auditName(name);
  let secret = from?.secret || isSecretName(name);
  let next: Omit<Placed, 'secret'> | null = null;
  let until = MAX_EXAMINED;
  const items: Item[] = [];
  const filter = { actions: ACTIONS, connection, cursor: from?.place };
  const entries = walkAbout(ctx.store, filter, () => `variable ${current}`);
  for await (const { entry, place, examined } of entries) {
    const item = next === null && entry ? await shownOf(ctx, entry, current) : null;
    if (item) items.push(item);
    if (entry && entry.outcome !== 'failed') current = nameBefore(entry, current);
    // A full page is still followed by a look at older names: where one is secret no value may be shown.
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
