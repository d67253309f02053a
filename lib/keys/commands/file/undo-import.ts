import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { refuseUndoOf } from '@/lib/key-values/admission';
import { DONE, runOn, shownKey } from '@/lib/key-values/look';
import { callArgs } from '@/lib/key-values/stored-call';
import type { KeyDump } from '@/lib/snapshots/snapshots';
import { deleteSnapshots, readSnapshots } from '@/lib/snapshots/snapshots';
import { importTogether } from './restore';

const kept = z.strictObject({
  auditId: z.string(),
  restored: z.array(
    z.strictObject({ key: z.string(), type: z.string(), content: z.string(), replaced: z.boolean() }),
  ),
});
type Stored = z.output<typeof kept>['restored'][number];

/** Deletes an imported key, or restores what it replaced. Null, or why not. */
const undoOne = async (
  ctx: WriteContext,
  { key: encoded, type, content, replaced }: Stored,
  copy: KeyDump | undefined,
): Promise<string | null> => {
  const key = Buffer.from(encoded, 'base64');
  if (!replaced) {
    const call = callArgs({ edit: 'delete', type, content, expires: -1, args: [] });
    return (await runOn(ctx, 'key-edit', [key], call)).state === DONE ? null : 'It was changed since.';
  }
  if (!copy) return 'The copy of what it replaced is no longer stored.';
  const expected = `s${content}`;
  const [reply] = await importTogether(ctx, [{ key, expires: copy.expires, dump: copy.value, expected }]);
  if (reply?.state === 'r') return null;
  return reply?.state === 'e' ? 'What it replaced would have expired.' : 'It was changed since.';
};

/** Undoes an import key by key. Keys that were changed since are conflicts and stay. */
export const undoImport = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const { auditId, restored } = kept.parse(data);
  const copies = new Map<string, KeyDump>();
  for await (const { entries } of readSnapshots(ctx.store, auditId))
    for (const entry of entries) copies.set(entry.key.toString('base64'), entry);
  await refuseUndoOf(ctx, ...restored.map(({ key }) => Buffer.from(key, 'base64')));
  const done: Undone = { undone: 0, conflicts: [] };
  for (const each of restored) {
    const why = await undoOne(ctx, each, copies.get(each.key));
    if (why === null) done.undone += 1;
    else done.conflicts.push({ what: await shownKey(ctx, Buffer.from(each.key, 'base64')), why });
  }
  if (done.undone > 0) await deleteSnapshots(ctx.store, auditId);
  return done;
};
