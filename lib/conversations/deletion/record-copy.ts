import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { restoreCopy } from '@/lib/key-values/restore-copy';
import type { Key } from '@/lib/redis/commands';
import { refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { type KeyDump, MAX_SNAPSHOT_BYTES, Snapshots } from '@/lib/snapshots/snapshots';

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
  await refuseUnlessRestorable(ctx.writer, key, '');
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

const WORDS = {
  exists: 'The record of the message exists again.',
  expired: 'The record of the message would have expired meanwhile.',
  refused: 'The server refuses the stored record of the message.',
  missing: { what: 'record', why: 'The copy of the message is no longer stored.' },
};

/** Restores the hash with the rest of its TTL, unless it exists again. */
export const restoreRecord = (ctx: WriteContext, auditId: string): Promise<Undone> =>
  restoreCopy(ctx, auditId, WORDS);
