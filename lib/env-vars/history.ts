import 'server-only';
import { z } from 'zod';
import { findEntry, listEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
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
const ACTIONS = [...ONE, ...MANY, envContracts.rename.id, envContracts.reveal.id];

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

/** A change and, where it was taken back, the change that did: the same values the other way round. */
const withUndoing = async (ctx: ReadContext, entry: AuditEntry, step: Step): Promise<Item[]> => {
  const item = itemOf(entry, step);
  const undoing = entry.undoneBy ? await findEntry(ctx.store, entry.undoneBy) : null;
  return undoing ? [item, itemOf(undoing, { ...step, from: step.to, to: step.from })] : [item];
};

const HISTORY = 200;
/** Pages of the audit log looked through: a variable that changed long ago in a busy log is still found. */
const MOST_PAGES = 20;

/** Entries of all variables of the connection, newest first, without refused attempts. */
async function* entriesOf(ctx: ReadContext): AsyncGenerator<AuditEntry> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await listEntries(ctx.store, {
      actions: ACTIONS,
      connection: ctx.connection.config.id,
      limit: 500,
      cursor,
    });
    yield* found.items.filter(({ outcome }) => outcome !== 'failed');
    if (found.nextCursor === null) return;
    cursor = found.nextCursor;
  }
}

/**
 * A variable's changes, reveals and their undoings, newest first, through its renames, from the audit log. Where any of
 * its names is secret, or a value was, it says only that it changed.
 */
export const variableHistory = async (
  ctx: ReadContext,
  { name }: Input<typeof envContracts.history>,
): Promise<Result<typeof envContracts.history>> => {
  const items: Item[] = [];
  let current = auditName(name);
  let secret = isSecretName(name);
  for await (const entry of entriesOf(ctx)) {
    const step = stepOf(entry, current);
    if (step) items.push(...(await withUndoing(ctx, entry, step)));
    current = nameBefore(entry, current);
    secret ||= isSecretName(current);
    if (items.length >= HISTORY) break;
  }
  items.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const shown = secret ? items.map((item) => ({ ...item, from: null, to: null })) : items;
  return { items: shown, nextCursor: null };
};
