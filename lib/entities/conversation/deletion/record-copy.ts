import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { refuseUndoOf } from '@/lib/keys/commands/admission';
import { forgetNamesOf, shownKey } from '@/lib/keys/commands/look';
import type { Key } from '@/lib/redis/commands';
import { classify, unavailable } from '@/lib/redis/failure';
import { RESTORE_KEYS, refusalOf, refuseUnlessRestorable, restoreArgs } from '@/lib/snapshots/restore-keys';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import {
  deleteSnapshots,
  type KeyDump,
  MAX_SNAPSHOT_BYTES,
  readSnapshots,
  Snapshots,
} from '@/lib/snapshots/snapshots';

/** A stored copy of the hash of a message. */
export interface RecordCopy {
  /** Deletes the hash if it still equals the copy. False where it was changed; true also where it is gone. */
  deleteRecord(): Promise<boolean>;
  drop(): Promise<void>;
}

const notStorable = (): Problem =>
  new Problem(
    'no_undo',
    `The record of this message uses more than ${MAX_SNAPSHOT_BYTES / 2 ** 20} MiB, which undo cannot store.`,
  );

/** Reads a copy of the hash. `store` stores it for undo; null where the hash is gone. */
export const copyOf = async (
  ctx: WriteContext,
  key: Key,
): Promise<{ store(): Promise<RecordCopy> } | null> => {
  await refuseUnlessRestorable(ctx.writer, key);
  const shot = await snapshot(ctx.writer, [key]);
  if (shot.tooLarge.length > 0) throw notStorable();
  const [copy] = shot.there;
  return copy ? { store: () => storeCopy(ctx, copy) } : null;
};

const storeCopy = async (ctx: WriteContext, copy: KeyDump): Promise<RecordCopy> => {
  const copies = new Snapshots(ctx.store, ctx.auditId);
  await copies.add(await copies.prepare([{ ...copy, mark: 'plain' }]), 1);
  return {
    deleteRecord: async () => {
      const { changed } = await unlinkUnchanged(ctx.writer, { there: [copy], tooLarge: [] });
      return changed.length === 0;
    },
    drop: () => copies.drop(1),
  };
};

const CONFLICTS: Record<string, string> = {
  b: 'The record of the message exists again.',
  e: 'The record of the message would have expired meanwhile.',
  x: 'The server refuses the stored record of the message.',
};

/** Restores the hash with the rest of its TTL, unless it exists again. */
export const restoreRecord = async (ctx: WriteContext, auditId: string): Promise<Undone> => {
  for await (const { entries } of readSnapshots(ctx.store, auditId)) {
    const [entry] = entries;
    if (!entry) continue;
    await refuseUndoOf(ctx, entry.key);
    const reply = await ctx.writer.runNear(RESTORE_KEYS, entry.key, restoreArgs(entry));
    const [state = '', refusal = ''] = reply.map(String);
    const error = refusalOf(refusal);
    if (error && classify(error)) throw unavailable(ctx.connection.config.id, error);
    const why = CONFLICTS[state];
    if (why) return { undone: 0, conflicts: [{ what: await shownKey(ctx, entry.key), why }] };
    forgetNamesOf(ctx, [entry.key]);
    await deleteSnapshots(ctx.store, auditId);
    return { undone: 1, conflicts: [] };
  }
  return { undone: 0, conflicts: [{ what: 'record', why: 'The copy of the message is no longer stored.' }] };
};
