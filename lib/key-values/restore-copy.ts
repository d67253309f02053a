import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Undone } from '@/lib/command/define';
import { classify, unavailable } from '@/lib/redis/failure';
import { RESTORE_KEYS, refusalOf, restoreArgs } from '@/lib/snapshots/restore-keys';
import { deleteSnapshots, readSnapshots } from '@/lib/snapshots/snapshots';
import { refuseUndoOf } from './admission';
import { forgetNamesOf, shownKey } from './look';

/** Why the key is not restored. */
interface RestoreWords {
  exists: string;
  expired: string;
  refused: string;
  /** The copy is no longer stored. */
  missing: { what: string; why: string };
}

/** Restores the key of which a change stored a copy, with the rest of its TTL, unless it exists again. */
export const restoreCopy = async (
  ctx: WriteContext,
  auditId: string,
  { exists, expired, refused, missing }: RestoreWords,
): Promise<Undone> => {
  const conflicts: Record<string, string> = { b: exists, e: expired, x: refused };
  for await (const { entries } of readSnapshots(ctx.store, auditId)) {
    const [entry] = entries;
    if (!entry) continue;
    await refuseUndoOf(ctx, entry.key);
    const reply = await ctx.writer.runAlone(RESTORE_KEYS, entry.key, restoreArgs(entry));
    const [state = '', refusal = ''] = reply.map(String);
    const error = refusalOf(refusal);
    if (error && classify(error)) throw unavailable(ctx.connection.config.id, error);
    const why = conflicts[state];
    if (why) return { undone: 0, conflicts: [{ what: await shownKey(ctx, entry.key), why }] };
    forgetNamesOf(ctx, [entry.key]);
    await deleteSnapshots(ctx.store, auditId);
    return { undone: 1, conflicts: [] };
  }
  return { undone: 0, conflicts: [missing] };
};
