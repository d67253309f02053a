import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { inOneSlot } from '@/lib/redis/one-slot';
import type { AppliedAll, Edit } from '@/lib/redis/writer';
import { SECOND } from '@/lib/time';
import { noteChanges, readChangeNotes } from '@/lib/values/change-notes';
import { forgetNames } from '@/lib/values/named-keys';
import { etagOf, LISTED_BYTES, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { APPROVAL_REQUIRED, variableNeedsApproval } from '@/lib/values/two-person';
import { variableKey } from '@/lib/values/variable-names';
import { applyEach } from './apart';
import { lastChange, openValue } from './reads';
import { MAX_BYTES } from './rules';
import { auditName } from './secrecy';

/** One variable that is changed, created (`before` null) or deleted (`after` null). */
export interface Change {
  name: string;
  key: Key;
  before: StoredValue | null;
  after: Buffer | null;
  /** TTL of a created variable; an existing one keeps its own, unless `setsTtl`. */
  ttlSeconds?: number | null;
  setsTtl?: boolean;
}

/** The etag in lists, which covers only the beginning of a long value. */
export const listedEtag = ({ type, length, bytes }: Pick<StoredValue, 'type' | 'length' | 'bytes'>): string =>
  etagOf(type, length, bytes.subarray(0, LISTED_BYTES));

export const etagOfBytes = (bytes: Buffer): string =>
  listedEtag({ type: 'string', length: bytes.length, bytes });

/** The first 1 MiB of a value, the most that can be edited. Its etag covers these bytes. */
export const readEditable = (ctx: ReadContext, key: Key): Promise<StoredValue | null> =>
  readValue(ctx.reader, key, MAX_BYTES);

/** Whether the etag is of this value: from a list, or from a reveal of a long value. */
export const etagMatches = (value: StoredValue, etag: string): boolean =>
  etag === value.etag || etag === listedEtag(value);

export const variableNotFound = (): Problem =>
  new Problem('not_found', 'This variable does not exist, or was deleted since you read it.');

/** 412 with the current etag and, if it is not secret, the current value. */
export const changedSince = async (ctx: ReadContext, name: string, value: StoredValue): Promise<Problem> => {
  const [note] = await readChangeNotes(ctx, [name]);
  const etag = listedEtag(value);
  return new Problem('changed', 'This variable was changed since you read it. Check the current value.', {
    extensions: {
      etag,
      // `type` is reserved in problem documents (RFC 9457).
      valueType: value.type,
      lengthBytes: value.length,
      ...openValue(name, value),
      ...lastChange(note ?? null, etag),
    },
  });
};

/** The value with this etag: 404 if the variable does not exist, 412 if it changed. */
export const readForEdit = async (ctx: ReadContext, name: string, etag: string): Promise<StoredValue> => {
  const key = variableKey(ctx, name);
  const value = key ? await readEditable(ctx, key) : null;
  if (!value) throw variableNotFound();
  if (!etagMatches(value, etag)) throw await changedSince(ctx, name, value);
  return value;
};

/** The error for a change whose compare-and-set failed: 412, or 404 if the variable was deleted. */
export const refusalNow = async (ctx: ReadContext, name: string, key: Key): Promise<Problem> => {
  const value = await readEditable(ctx, key);
  return value ? changedSince(ctx, name, value) : variableNotFound();
};

const editOf = ({ key, before, after, ttlSeconds, setsTtl }: Change): Edit => {
  const expected = before && { type: before.type, length: before.length, bytes: before.bytes };
  if (after === null) return { key, expected, change: 'delete' };
  if (before && !setsTtl) return { key, expected, change: { set: after } };
  return { key, expected, change: { set: after, ttlMs: ttlSeconds ? ttlSeconds * SECOND : 'none' } };
};

/**
 * Applies all changes, if no key changed since it was read, and stores their author. In one step, except in a cluster.
 */
export const applyChanges = async (ctx: WriteContext, changes: readonly Change[]): Promise<AppliedAll> => {
  const edits = changes.map(editOf);
  const isTogether = inOneSlot(
    ctx.connection,
    changes.map(({ key }) => key),
  );
  const applied = isTogether ? await ctx.writer.applyAll(edits) : await applyEach(ctx, edits);
  if (!applied.ok) return applied;
  forgetNames(ctx.connection);
  await noteChanges(
    ctx,
    changes.map(({ name, after }) => ({ name, etag: after && etagOfBytes(after) })),
  );
  return applied;
};

const changeUndo = z.object({
  name: z.string(),
  /** Base64; null if the variable did not exist. */
  before: z.string().nullable(),
  ttlSeconds: z.number().nullable(),
  /** Whether the change removed the TTL. */
  tookTtl: z.boolean().default(false),
  /** Etag of the full new value; null if the variable was deleted. */
  after: z.string().nullable(),
});
type ChangeUndo = z.output<typeof changeUndo>;
/** What undo keeps of changes. */
export const undoRecord = z.object({ changes: z.array(changeUndo) });

/** Total bytes of values in one undo record. */
const MAX_UNDO_BYTES = 8 * 2 ** 20;

type UndoRecord = { undo: AuditJson } | { noUndo: string };

/** Data to undo the changes, or why undo is impossible. */
export const undoRecordOf = (changes: readonly Change[]): UndoRecord => {
  const other = changes.find(({ before }) => before && before.type !== 'string');
  if (other) return { noUndo: `Its key held a ${other.before!.type}, which undo cannot restore.` };
  const cut = changes.find(({ before }) => before && before.bytes.length < before.length);
  if (cut)
    return { noUndo: `The replaced value has ${cut.before!.length} bytes; undo stores at most 1 MiB.` };
  const total = changes.reduce((sum, { before }) => sum + (before?.length ?? 0), 0);
  if (total > MAX_UNDO_BYTES) return { noUndo: 'The replaced values exceed the 8 MiB that undo stores.' };
  const records = changes.map(
    ({ name, before, after, setsTtl }): ChangeUndo => ({
      name,
      before: before?.bytes.toString('base64') ?? null,
      ttlSeconds: before?.ttlSeconds ?? null,
      tookTtl: setsTtl ?? false,
      after: after && etagOf('string', after.length, after),
    }),
  );
  return { undo: { changes: records } };
};

export const noUndoOf = (record: UndoRecord): string | null => ('noUndo' in record ? record.noUndo : null);

type Conflict = Undone['conflicts'][number];

/** The change that reverses a recorded one, or why it cannot be reversed. */
const reverse = (
  ctx: ReadContext,
  recorded: ChangeUndo,
  key: Key | null,
  present: StoredValue | null,
): Change | Conflict => {
  const { name, before, ttlSeconds, tookTtl } = recorded;
  if (variableNeedsApproval(ctx, name)) return { what: auditName(name), why: APPROVAL_REQUIRED };
  if ((present?.etag ?? null) !== recorded.after)
    return { what: auditName(name), why: present ? 'It was changed since.' : 'It was deleted since.' };
  if (!key) return { what: auditName(name), why: 'This name is no longer valid for a variable.' };
  return {
    name,
    key,
    before: present,
    after: before === null ? null : Buffer.from(before, 'base64'),
    ttlSeconds,
    // Restores a TTL that the change removed.
    setsTtl: tookTtl && present !== null && present.ttlSeconds === null && ttlSeconds !== null,
  };
};

/** Applies changes that still match; one that fails becomes a conflict and the rest is retried without it. */
const applyPossible = async (
  ctx: WriteContext,
  changes: Change[],
  conflicts: Conflict[],
): Promise<Undone> => {
  let left = changes;
  while (left.length > 0) {
    const applied = await applyChanges(ctx, left);
    if (applied.ok) break;
    conflicts.push({ what: auditName(left[applied.index]!.name), why: 'It was changed since.' });
    left = left.filter((_, index) => index !== applied.index);
  }
  return { undone: left.length, conflicts };
};

export const undoChanges = async (ctx: WriteContext, record: unknown): Promise<Undone> => {
  const { changes } = undoRecord.parse(record);
  const conflicts: Conflict[] = [];
  const reversals: Change[] = [];
  const keys = changes.map(({ name }) => variableKey(ctx, name));
  const known = keys.filter((key): key is Key => key !== null);
  const values = await readValues(ctx.reader, known, MAX_BYTES);
  const present = new Map(known.map((key, index) => [key, values[index] ?? null]));
  changes.forEach((change, index) => {
    const key = keys[index] ?? null;
    const reversed = reverse(ctx, change, key, key && (present.get(key) ?? null));
    if ('why' in reversed) conflicts.push(reversed);
    else reversals.push(reversed);
  });
  return applyPossible(ctx, reversals, conflicts);
};
