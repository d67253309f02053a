import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { restoreCopy, storeCopy } from '@/lib/key-values/key-copy';
import {
  contentArg,
  DONE,
  forgetNamesOf,
  type Look,
  lookWithEtag,
  refusalNow,
  runOn,
} from '@/lib/key-values/look';
import { openKey } from '@/lib/key-values/open-key';
import { callArgs } from '@/lib/key-values/stored-call';
import type { Key } from '@/lib/redis/commands';
import { refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { keyContracts } from '../schema';
import { impactOnKey } from './impact';
import { needsOf, targetOf } from './update';

type Delete = Input<typeof keyContracts.delete>;

const TOO_LARGE = `This key uses more than ${MAX_SNAPSHOT_BYTES / 2 ** 20} MiB, which undo cannot store. Send withoutUndo to delete it anyway.`;

/** Deletes the key only if it still is what was read. */
const deleteUnchanged = async (
  ctx: WriteContext,
  { key, state: { type, ...content } }: Look,
): Promise<void> => {
  const call = { edit: 'delete', type, content: contentArg({ type, ...content }), expires: -1, args: [] };
  const { state } = await runOn(ctx, 'key-edit', [key], callArgs(call));
  if (state !== DONE) throw await refusalNow(ctx, key);
};

/** A rehash changes the DUMP of a value that is the same, so it is tried again: the etag says what really changed. */
const MAX_ATTEMPTS = 3;

/** Stores a copy, then deletes the key only if it equals the copy. */
const deleteWithCopy = async (ctx: WriteContext, key: Key, etag: string): Promise<void> => {
  await refuseUnlessRestorable(ctx.writer, key);
  const compare = () => lookWithEtag(ctx, key, etag);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const copy = await storeCopy(ctx, key, { tooLarge: TOO_LARGE, compare });
    if (!copy) continue;
    if ((await copy.deleteKey()) === 'deleted') return;
    await copy.drop();
  }
  throw await refusalNow(ctx, key);
};

const deleteKey = async (ctx: WriteContext, { keyId, etag, withoutUndo }: Delete) => {
  const { key } = await openKey(ctx, keyId);
  const found = await lookWithEtag(ctx, key, etag);
  if (withoutUndo) await deleteUnchanged(ctx, found);
  else await deleteWithCopy(ctx, key, etag);
  forgetNamesOf(ctx, [key]);
  const exists = await ctx.reader.read(['EXISTS', key]);
  const { type, length } = found.state;
  return {
    result: { deleted: exists === 0 },
    before: { type, length },
    after: { deleted: true, existsAgain: exists === 1 },
    ...(withoutUndo ? {} : { undo: { auditId: ctx.auditId } }),
  };
};

const kept = z.strictObject({ auditId: z.string() });

const WORDS = {
  exists: 'A key of this name exists again.',
  expired: 'It would have expired meanwhile.',
  refused: 'The server refuses the stored value.',
  missing: { what: 'key', why: 'Its copy is no longer stored.' },
};

const undoDelete = async (ctx: WriteContext, data: AuditJson): Promise<Undone> =>
  restoreCopy(ctx, kept.parse(data).auditId, WORDS);

/** keys.delete: a copy is stored before. `deleted` is false if the application created the key again at once. */
export const deleteKeyCommand = defineCommand({
  contract: keyContracts.delete,
  target: targetOf,
  redact: ({ withoutUndo }) => ({ withoutUndo }),
  needsConfirmation: () => true,
  needs: needsOf,
  impact: impactOnKey,
  run: deleteKey,
  undo: undoDelete,
  undoNeedsNoConfirmation: true,
});
