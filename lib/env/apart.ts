import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem, withDetail } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { isInDoubt } from '@/lib/redis/failure';
import type { AppliedAll, Edit } from '@/lib/redis/writer';
import { moveKey } from '@/lib/snapshots/move-key';
import type { StoredValue } from '@/lib/values/string-value';

/** Concurrent checks. */
const BATCH_SIZE = 200;

const checkAll = async (ctx: WriteContext, edits: readonly Edit[]): Promise<AppliedAll> => {
  for (let from = 0; from < edits.length; from += BATCH_SIZE) {
    const batch = edits.slice(from, from + BATCH_SIZE);
    const checks = await Promise.all(batch.map((edit) => ctx.writer.applyAll([{ ...edit, change: 'keep' }])));
    const at = checks.findIndex(({ ok }) => !ok);
    const failed = checks[at];
    if (failed && !failed.ok) return { ...failed, index: from + at };
  }
  return { ok: true };
};

/** The edit that exactly reverses another one; null where the previous value or TTL is unknown. */
const reverseOf = ({ key, expected, change }: Edit): Edit | null => {
  if (typeof change === 'string' || 'renameFrom' in change) return null;
  const present = { type: 'string', length: change.set.length, bytes: change.set };
  if (expected === null) return { key, expected: present, change: 'delete' };
  const isWhole = expected.type === 'string' && expected.bytes.length === expected.length;
  if (!isWhole || change.ttlMs !== undefined) return null;
  return { key, expected: present, change: { set: expected.bytes } };
};

/** Reverses applied edits. Returns how many stay changed, and the error of an edit whose reversal is in doubt. */
const reverseAll = async (
  ctx: WriteContext,
  made: readonly (Edit | null)[],
): Promise<{ left: number; doubt: unknown }> => {
  let [left, doubt]: [number, unknown] = [0, null];
  for (const edit of made)
    try {
      if (!edit || !(await ctx.writer.applyAll([edit])).ok) left += 1;
    } catch (error) {
      left += 1;
      if (isInDoubt(error)) doubt = error;
    }
  return { left, doubt };
};

/**
 * Like the writer's `applyAll`, for keys in several slots: checks all, then changes one after the other. If a key
 * changed in between, or its node fails, the earlier edits are reversed, unless the failed one may have been applied.
 * If this process dies in between, some edits stay; repeating the operation completes it.
 */
export const applyEach = async (ctx: WriteContext, edits: readonly Edit[]): Promise<AppliedAll> => {
  const checked = await checkAll(ctx, edits);
  if (!checked.ok) return checked;
  const order = edits.map((edit, index) => ({ edit, index, reverse: reverseOf(edit) }));
  // Irreversible edits come last.
  order.sort((a, b) => Number(a.reverse === null) - Number(b.reverse === null));
  const made: (Edit | null)[] = [];
  const saying = (error: unknown, count: number): unknown =>
    count > 0 ? withDetail(error, `Changed before: ${count} of ${edits.length} variables.`) : error;
  /** Throws if some keys stay changed: `because`, or the error that leaves one in doubt. */
  const changeBack = async (because: unknown): Promise<void> => {
    const { left, doubt } = await reverseAll(ctx, made);
    if (left > 0) throw saying(doubt ?? because, left);
  };
  for (const { edit, index, reverse } of order) {
    const applied = await ctx.writer.applyAll([edit]).catch(async (error: unknown) => {
      if (isInDoubt(error)) throw saying(error, made.length);
      await changeBack(error);
      throw error;
    });
    if (!applied.ok) {
      await changeBack(new Problem('changed', 'A variable was changed meanwhile.'));
      return { ...applied, index };
    }
    made.push(reverse);
  }
  return { ok: true };
};

/** Like `applyAll`, for a rename into another slot. Index 0: the old key changed; 1: the new name is taken. */
export const renameApart = async (
  ctx: WriteContext,
  value: StoredValue,
  newKey: Key,
): Promise<AppliedAll> => {
  const failed = (index: number): AppliedAll => ({ ok: false, index, present: 'none' });
  const [type, length, digest] = await ctx.writer.run('key-state', [value.key], []);
  const same = await ctx.writer.applyAll([{ key: value.key, expected: value, change: 'keep' }]);
  if (!same.ok) return failed(0);
  const content = `${length}:${digest}`;
  const moved = await moveKey(ctx, 'rename', { from: value.key, to: newKey, type: String(type), content });
  if (moved === 'too large')
    throw new Problem('conflict', 'This value is too large to be copied to another slot of the cluster.');
  return moved === 'done' ? { ok: true } : failed(moved === 'taken' ? 1 : 0);
};
