import 'server-only';
import { findEntry } from '@/lib/audit/reads';
import type { ReadContext } from '@/lib/command/context';
import { readUndo } from '@/lib/command/undo-record';
import { Problem } from '@/lib/errors';
import { undoRecord } from './changes';

/**
 * The value that a change replaced, in base64, from what its undo keeps: also that of a secret, which the log does not
 * have. 409 once it is not kept any more, and for a change of another variable or connection.
 */
export const keptBefore = async (
  ctx: ReadContext,
  { name, valueBefore }: { name: string; valueBefore: string },
): Promise<string> => {
  const entry = await findEntry(ctx.store, valueBefore);
  const isHere = entry?.connection === ctx.connection.config.id;
  const record = isHere ? undoRecord.safeParse(await readUndo(ctx.store, valueBefore)).data : undefined;
  const before = record?.changes.find((change) => change.name === name)?.before;
  if (before == null) throw new Problem('conflict', 'The value before this change is no longer kept.');
  return before;
};
