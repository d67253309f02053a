import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { refuseUndoOf } from '@/lib/key-values/admission';
import { forgetNamesOf, shownKey } from '@/lib/key-values/look';
import type { Arg } from '@/lib/redis/commands';
import { classify, unavailable } from '@/lib/redis/failure';
import { expiryArg, refusalOf } from '@/lib/snapshots/restore-keys';
import { deleteSnapshots, type KeyDump, readSnapshots } from '@/lib/snapshots/snapshots';

/** What an undo of a line compares with; the copies are stored beside it. */
const kept = z.strictObject({
  auditId: z.string(),
  keys: z.array(
    z.strictObject({
      key: z.string(),
      existed: z.boolean(),
      /** The key's check after the line, in base64; empty where it was missing then. */
      check: z.string(),
      /** Epoch ms; -1 for never, -2 for a missing key. */
      expires: z.string(),
    }),
  ),
});
export type KeptLine = z.output<typeof kept>;

const WHY: Record<string, string> = {
  b: 'It was changed since.',
  e: 'It would have expired meanwhile.',
  k: 'Another key of the line was changed, and all of them are undone together.',
  x: 'The server refuses the stored value.',
};

const copiesOf = async (ctx: WriteContext, auditId: string): Promise<Map<string, KeyDump>> => {
  const copies = new Map<string, KeyDump>();
  for await (const { entries } of readSnapshots(ctx.store, auditId))
    for (const entry of entries) copies.set(entry.key.toString('base64'), entry);
  return copies;
};

/** Makes the keys of a line what they were, all or none: a key that is not what the line left is a conflict. */
export const undoLine = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const { auditId, keys } = kept.parse(data);
  const named = keys.map(({ key }) => Buffer.from(key, 'base64'));
  await refuseUndoOf(ctx, ...named);
  const copies = await copiesOf(ctx, auditId);
  if (keys.some(({ key, existed }) => existed && !copies.has(key)))
    return { undone: 0, conflicts: [{ what: 'keys', why: 'Their copies are no longer stored.' }] };
  const args = keys.flatMap(({ key, check, expires }, i): Arg[] => {
    const copy = copies.get(key);
    return [
      named[i]!,
      Buffer.from(check, 'base64'),
      expires,
      copy ? expiryArg(copy.expires) : '-1',
      copy?.value ?? '',
    ];
  });
  // UNLINK and RESTORE of each key, and TIME.
  const script = { name: 'undo-line', otherCalls: () => keys.length + 1 };
  const [states = '', refusal = ''] = (await ctx.writer.runAlone(script, named, args)).map(String);
  const error = refusalOf(refusal);
  if (error && classify(error)) throw unavailable(ctx.connection.config.id, error);
  forgetNamesOf(ctx, named);
  const undone = [...states].filter((state) => state === 'r').length;
  const conflicts = await Promise.all(
    [...states].flatMap((state, i) =>
      state === 'r' ? [] : [shownKey(ctx, named[i]!).then((what) => ({ what, why: WHY[state]! }))],
    ),
  );
  if (conflicts.length === 0) await deleteSnapshots(ctx.store, auditId);
  return { undone, conflicts };
};
