import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { classify, unavailable } from '@/lib/redis/failure';
import { RESTORE_KEYS, refusalOf, restoreArgs } from '@/lib/snapshots/restore-keys';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { deleteSnapshots, readSnapshots, Snapshots } from '@/lib/snapshots/snapshots';
import { refuseUndoOf } from './admission';
import { forgetNamesOf, shownKey } from './look';

/** A stored copy of a key. */
export interface KeyCopy {
  /** Deletes the key if it still equals the copy. */
  deleteKey(): Promise<'deleted' | 'gone' | 'changed'>;
  drop(): Promise<void>;
}

/**
 * Stores a copy of a key for undo; null where there is none. Throws 409 with this sentence for a key that is too large.
 * `compare` throws where the key is not what the caller read.
 */
export const storeCopy = async (
  ctx: WriteContext,
  key: Key,
  { tooLarge, compare }: { tooLarge: string; compare: () => Promise<unknown> },
): Promise<KeyCopy | null> => {
  const shot = await snapshot(ctx.writer, [key]);
  if (shot.tooLarge.length > 0) throw new Problem('no_undo', tooLarge);
  // After the copy: a change before it is found here, and one after it where the key is deleted.
  await compare();
  const [copy] = shot.there;
  if (!copy) return null;
  const copies = new Snapshots(ctx.store, ctx.auditId);
  await copies.add(await copies.prepare([{ ...copy, mark: 'plain' }]), 1);
  return {
    deleteKey: async () => {
      const { deleted, gone } = await unlinkUnchanged(ctx.writer, { there: [copy], tooLarge: [] });
      if (deleted === 1) return 'deleted';
      return gone.length === 1 ? 'gone' : 'changed';
    },
    drop: () => copies.drop(1),
  };
};

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
