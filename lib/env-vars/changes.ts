import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import type { AppliedAll, Edit } from '@/lib/redis/writer';
import { SECOND } from '@/lib/time';
import { noteChanges, readChangeNotes } from '@/lib/values/change-notes';
import { etagOf, LISTED_BYTES, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { APPROVAL_REQUIRED, variableNeedsApproval } from '@/lib/values/two-person';
import { forgetVariableNames, variableKey } from '@/lib/values/variable-names';
import { lastChange, openValue } from './reads';
import { MAX_BYTES } from './rules';
import { auditName } from './secrecy';

/** One variable that becomes another value, begins (`before` null) or ends (`after` null). */
export interface Change {
  name: string;
  key: Key;
  before: StoredValue | null;
  after: Buffer | null;
  /** Of a variable that begins; an existing one keeps its own, unless `setsTtl`. */
  ttlSeconds?: number | null;
  setsTtl?: boolean;
}

/** As lists give it, which read no more than the beginning of a value. */
export const listedEtag = ({ type, length, bytes }: Pick<StoredValue, 'type' | 'length' | 'bytes'>): string =>
  etagOf(type, length, bytes.subarray(0, LISTED_BYTES));

export const etagOfBytes = (bytes: Buffer): string =>
  listedEtag({ type: 'string', length: bytes.length, bytes });

/** A value as far as it may be edited: 1 MiB of it, of which its etag is. */
export const readEditable = (ctx: ReadContext, key: Key): Promise<StoredValue | null> =>
  readValue(ctx.reader, key, MAX_BYTES);

/** What a caller read before: the list's etag or, of a longer value, that of the whole which was revealed. */
export const etagMatches = (value: StoredValue, etag: string): boolean =>
  etag === value.etag || etag === listedEtag(value);

export const gone = (): Problem =>
  new Problem('not_found', 'There is no such variable, or it was deleted since you read it.');

/** 412 with the present etag and, where it is no secret, the present value: a second editor is shown both. */
export const changedSince = async (ctx: ReadContext, name: string, value: StoredValue): Promise<Problem> => {
  const [note] = await readChangeNotes(ctx, [name]);
  const etag = listedEtag(value);
  return new Problem('changed', 'This variable was changed since you read it. Look at it again.', {
    extensions: {
      etag,
      // `type` is the problem's own (RFC 9457).
      valueType: value.type,
      lengthBytes: value.length,
      ...openValue(name, value),
      ...lastChange(note ?? null, etag),
    },
  });
};

/** The variable as the caller has seen it: 404 when it is gone, 412 when it changed. */
export const readForEdit = async (ctx: ReadContext, name: string, etag: string): Promise<StoredValue> => {
  const key = variableKey(ctx, name);
  const value = key ? await readEditable(ctx, key) : null;
  if (!value) throw gone();
  if (!etagMatches(value, etag)) throw await changedSince(ctx, name, value);
  return value;
};

/** Why a change did not fit any more, as the variable is now. */
export const refusalNow = async (ctx: ReadContext, name: string, key: Key): Promise<Problem> => {
  const value = await readEditable(ctx, key);
  return value ? changedSince(ctx, name, value) : gone();
};

const editOf = ({ key, before, after, ttlSeconds, setsTtl }: Change): Edit => {
  const expected = before && { type: before.type, length: before.length, bytes: before.bytes };
  if (after === null) return { key, expected, change: 'delete' };
  if (before && !setsTtl) return { key, expected, change: { set: after } };
  return { key, expected, change: { set: after, ttlMs: ttlSeconds ? ttlSeconds * SECOND : 'none' } };
};

/** All of them in one step or none, and who did it noted. Each only while its key is as it was read. */
export const applyChanges = async (ctx: WriteContext, changes: readonly Change[]): Promise<AppliedAll> => {
  const applied = await ctx.writer.applyAll(changes.map(editOf));
  if (!applied.ok) return applied;
  forgetVariableNames(ctx.connection);
  await noteChanges(
    ctx,
    changes.map(({ name, after }) => ({ name, etag: after && etagOfBytes(after) })),
  );
  return applied;
};

const changeUndo = z.object({
  name: z.string(),
  /** Base64; null where there was none. */
  before: z.string().nullable(),
  ttlSeconds: z.number().nullable(),
  /** Whether the change took that TTL away. */
  tookTtl: z.boolean().default(false),
  /** Etag of the whole value set then; null where it was deleted. */
  after: z.string().nullable(),
});
type ChangeUndo = z.output<typeof changeUndo>;
const undoRecord = z.object({ changes: z.array(changeUndo) });

/** Bytes of values one undo record may hold. */
const MAX_KEPT = 8 * 2 ** 20;

type Keeping = { undo: AuditJson } | { noUndo: string };

/** What taking the changes back needs, or why they cannot be. */
export const undoRecordOf = (changes: readonly Change[]): Keeping => {
  const other = changes.find(({ before }) => before && before.type !== 'string');
  if (other) return { noUndo: `Its key held a ${other.before!.type}, of which nothing is kept.` };
  const cut = changes.find(({ before }) => before && before.bytes.length < before.length);
  if (cut)
    return { noUndo: `The value replaced has ${cut.before!.length} bytes: more than 1 MiB is not kept.` };
  const total = changes.reduce((sum, { before }) => sum + (before?.length ?? 0), 0);
  if (total > MAX_KEPT) return { noUndo: 'The values replaced have more than 8 MiB together: not kept.' };
  const kept = changes.map(
    ({ name, before, after, setsTtl }): ChangeUndo => ({
      name,
      before: before?.bytes.toString('base64') ?? null,
      ttlSeconds: before?.ttlSeconds ?? null,
      tookTtl: setsTtl ?? false,
      after: after && etagOf('string', after.length, after),
    }),
  );
  return { undo: { changes: kept } };
};

export const noUndoOf = (keeping: Keeping): string | null => ('noUndo' in keeping ? keeping.noUndo : null);

type Conflict = Undone['conflicts'][number];

/** The change that takes a kept one back, or why it cannot be. */
const reverse = (
  ctx: ReadContext,
  kept: ChangeUndo,
  key: Key | null,
  present: StoredValue | null,
): Change | Conflict => {
  const { name, before, ttlSeconds, tookTtl } = kept;
  if (variableNeedsApproval(ctx, name)) return { what: auditName(name), why: APPROVAL_REQUIRED };
  if ((present?.etag ?? null) !== kept.after)
    return { what: auditName(name), why: present ? 'It was changed since.' : 'It is gone.' };
  if (!key) return { what: auditName(name), why: 'No variable can have this name any more.' };
  return {
    name,
    key,
    before: present,
    after: before === null ? null : Buffer.from(before, 'base64'),
    ttlSeconds,
    // A TTL that the change took away.
    setsTtl: tookTtl && present !== null && present.ttlSeconds === null && ttlSeconds !== null,
  };
};

/** Applies what fits: what does not, by now, is a conflict and the rest is tried without it. */
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

/** Takes changes back that `undoRecordOf` kept. */
export const undoChanges = async (ctx: WriteContext, kept: unknown): Promise<Undone> => {
  const { changes } = undoRecord.parse(kept);
  const conflicts: Conflict[] = [];
  const back: Change[] = [];
  const keys = changes.map(({ name }) => variableKey(ctx, name));
  const known = keys.filter((key): key is Key => key !== null);
  const values = await readValues(ctx.reader, known, MAX_BYTES);
  const present = new Map(known.map((key, index) => [key, values[index] ?? null]));
  changes.forEach((change, index) => {
    const key = keys[index] ?? null;
    const reversed = reverse(ctx, change, key, key && (present.get(key) ?? null));
    if ('why' in reversed) conflicts.push(reversed);
    else back.push(reversed);
  });
  return applyPossible(ctx, back, conflicts);
};
