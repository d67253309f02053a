import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Arg } from '@/lib/redis/commands';
import { inOneSlot } from '@/lib/redis/one-slot';
import { type ItemState, runOnEach } from '@/lib/redis/run-on-each';
import { type Move, moveKey } from '@/lib/snapshots/move-key';
import { RESTORE_KEYS } from '@/lib/snapshots/restore-keys';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';

const SEPARATOR = '\n';

/** The entry that undo stores: it is keyed by the new name, and has the content that the key must still have. */
export const renamedEntry = ({ from, to, type, content }: Move): SnapshotEntry => ({
  key: to,
  mark: 'plain',
  expires: -1,
  value: Buffer.concat([Buffer.from(`${type}${SEPARATOR}${content}${SEPARATOR}`), from]),
});

const renamedIn = ({ key, value }: SnapshotEntry): Move => {
  const first = value.indexOf(SEPARATOR);
  const second = value.indexOf(SEPARATOR, first + 1);
  const text = (from: number, to: number) => value.subarray(from, to).toString('latin1');
  return {
    from: value.subarray(second + 1),
    to: key,
    type: text(0, first),
    content: text(first + 1, second),
  };
};

/** Arguments of the script `rename-back`. */
const argsOf = ({ from, to, type, content }: Move): Arg[] => [to, from, type, content];

const SCRIPT = { name: 'rename-back', otherCalls: RESTORE_KEYS.otherCalls };

const moveBack = async (
  { writer, reader, connection }: WriteContext,
  { from, to, type, content }: Move,
): Promise<string> => {
  const moved = await moveKey({ writer, connection }, 'rename', { from: to, to: from, type, content });
  if (moved === 'done') return 'r';
  if (moved === 'too large') return 'x';
  // The job stores the undo data first, so it may have ended before it renamed the key.
  return moved === 'missing' && (await reader.read(['EXISTS', from])) === 0 ? 'e' : 'b';
};

/**
 * Restores the former names of keys of one node, with the states of the script `rename-back`. In a cluster one by one,
 * and in steps where the two names are in different slots.
 */
export const renameBack = async (
  ctx: WriteContext,
  entries: readonly SnapshotEntry[],
): Promise<ItemState[]> => {
  const renamed = entries.map(renamedIn);
  if (ctx.connection.topology.kind !== 'cluster')
    return runOnEach(
      ctx.writer,
      SCRIPT,
      renamed.map((entry) => ({ key: entry.to, args: argsOf(entry) })),
    );
  const states: ItemState[] = [];
  for (const key of renamed) {
    const names = [key.to, key.from];
    const reply = inOneSlot(ctx.connection, names)
      ? await ctx.writer.runAlone(SCRIPT, names, argsOf(key))
      : [await moveBack(ctx, key)];
    states.push({ letter: String(reply[0]), reply, place: 0 });
  }
  return states;
};
