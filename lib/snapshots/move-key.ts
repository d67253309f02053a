import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem, withDetail } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { changeFailureOf, isInDoubt } from '@/lib/redis/failure';
import { inOneSlot } from '@/lib/redis/one-slot';
import { RESTORE_KEYS, refusalOf, restoreArgs } from './restore-keys';
import { MAX_SNAPSHOT_BYTES } from './snapshots';

/** A key as it was read, and the name that it or its copy gets. */
export interface Move {
  from: Key;
  to: Key;
  type: string;
  /** `length:digest`, as scripts compare it. */
  content: string;
}

/** `changed`: it is no longer what was read; `taken`: the new name; `too large`: to be copied into another slot. */
export type Moved = 'done' | 'changed' | 'taken' | 'missing' | 'too large';

const STATES: Readonly<Record<number, Moved>> = { 0: 'changed', 1: 'done', 2: 'taken', 5: 'too large' };

/** The first results of the scripts `key-move` and `move-step`. */
const movedIn = ([state, kind]: readonly unknown[]): Moved =>
  STATES[state as number] ?? (String(kind) === 'none' ? 'missing' : 'changed');

const CHECK_BYTES = 8;

/** What the steps of one move have in common. */
type Step = (
  key: Key,
  action: 'dump' | 'compare' | 'delete',
  check: number | Buffer,
  expires: string,
) => Promise<{ state: Moved; dump: Buffer; expires: string }>;

const stepOf =
  ({ writer }: Pick<WriteContext, 'writer'>, { type, content }: Move): Step =>
  async (key, action, check, expires) => {
    const reply = await writer.run('move-step', [key], [action, type, content, check, expires]);
    const [, dump, at] = reply as [number, Buffer?, Buffer?];
    return { state: movedIn(reply), dump: dump ?? Buffer.alloc(0), expires: String(at) };
  };

/** Adds to a failure what the steps before it left. */
const leaving = (error: unknown, left: string, doubt: string): unknown =>
  withDetail(error, isInDoubt(error) ? doubt : left);

/**
 * Copies the key, compares the copy, and only then deletes the key: a stop in between leaves both, never neither. What a
 * change of the key in between makes wrong is deleted again.
 */
const inSteps = async (
  ctx: Pick<WriteContext, 'writer' | 'connection'>,
  what: 'rename' | 'copy',
  move: Move,
): Promise<Moved> => {
  const { from, to } = move;
  const step = stepOf(ctx, move);
  const read = await step(from, 'dump', MAX_SNAPSHOT_BYTES, '');
  if (read.state !== 'done') return read.state;
  const expires = await ctx.writer.unrounded(from, Number(read.expires));
  const copy = { key: to, expires, value: read.dump };
  const check = read.dump.subarray(-CHECK_BYTES);
  const restored = await ctx.writer.runAlone(RESTORE_KEYS, to, restoreArgs(copy)).catch((error: unknown) => {
    throw leaving(error, 'Nothing was changed.', 'The old key is unchanged; it may have a copy.');
  });
  const [state, refusal] = restored.map(String);
  if (state === 'b') return 'taken';
  if (state === 'e') return 'missing';
  const error = refusalOf(refusal ?? '');
  if (error) throw changeFailureOf(ctx.connection.config.id, error);
  const same = await step(to, 'compare', check, read.expires).catch((failure: unknown) => {
    throw withDetail(failure, 'The key was copied, and the copy could not be compared: both exist now.');
  });
  const done =
    what === 'copy' || same.state !== 'done'
      ? same
      : await step(from, 'delete', check, read.expires).catch((failure: unknown) => {
          throw leaving(
            failure,
            'The key was copied and not deleted: both exist now.',
            'The key was copied; whether the old one still exists is not known.',
          );
        });
  if (done.state === 'done') return 'done';
  const undone = await step(to, 'delete', check, read.expires).catch((failure: unknown) => {
    throw withDetail(failure, 'The key was changed while it was copied: both exist now.');
  });
  if (undone.state !== 'done' && undone.state !== 'missing')
    throw new Problem('changed', 'The key and its copy were changed meanwhile: both exist now.');
  return 'changed';
};

/**
 * Renames or copies a key that still is what was read, with its TTL, and never overwrites one: in one step, or where the
 * two names are in different slots of a cluster in steps (`inSteps`).
 */
export const moveKey = async (
  ctx: Pick<WriteContext, 'writer' | 'connection'>,
  what: 'rename' | 'copy',
  move: Move,
): Promise<Moved> => {
  const { from, to, type, content } = move;
  if (!inOneSlot(ctx.connection, [from, to])) return inSteps(ctx, what, move);
  return movedIn(await ctx.writer.run('key-move', [from, to], [what, type, content]));
};
