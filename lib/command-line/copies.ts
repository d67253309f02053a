import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { etagOf } from '@/lib/key-values/etag';
import { type KeyState, readKeyState } from '@/lib/key-values/key-state';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { withoutPermission } from '@/lib/redis/failure';
import { snapshot } from '@/lib/snapshots/snapshot-keys';
import { type KeyDump, MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { MAX_UNDO_KEYS, type UNDO_STATES } from './schema';
import type { Line } from './typed-line';
import { nameOf } from './words';

export const keysOf = ({ keys }: Pick<Line, 'keys'>): Key[] => keys.map(({ identity }) => identity.key);

/** A key before a line. */
export interface Before {
  key: Key;
  /** Null where it did not exist. */
  copy: KeyDump | null;
}

export const noUndo = (why: string): Problem =>
  new Problem('no_undo', `This could not be undone: ${why}. Send withoutUndo to do it.`);

/** As `include/line-check.lua`: whether a larger hash or set was changed since is not found out. */
const MAX_COMPARED = 5000;
const TOO_LARGE = `its keys use more than ${MAX_SNAPSHOT_BYTES / 2 ** 20} MiB, or are hashes or sets of more than 5000 elements`;
const TOO_MANY = `more than ${MAX_UNDO_KEYS} keys are named`;

/** Whether an undo of the line could not detect a change of what the line left. A deleted key is always compared. */
const isIncomparable = async (ctx: ReadContext, line: Line): Promise<boolean> => {
  if (['del', 'unlink'].includes(nameOf(line.call))) return false;
  const keys = keysOf(line);
  const lengths = await ctx.reader.readMany(
    keys.flatMap((key) => [['HLEN', key] as const, ['SCARD', key] as const]),
  );
  return lengths.some((length) => typeof length === 'number' && length > MAX_COMPARED);
};

/** Copies of all keys of a line, in their order. Throws 409 where they are too many or too large. */
export const copyKeys = async (ctx: WriteContext, line: Line): Promise<Before[]> => {
  const keys = keysOf(line);
  if (keys.length > MAX_UNDO_KEYS) throw noUndo(TOO_MANY);
  if (await isIncomparable(ctx, line)) throw noUndo(TOO_LARGE);
  const found = new Map<string, KeyDump>();
  let bytes = 0;
  for (let left = keys; left.length > 0; ) {
    const shot = await snapshot(ctx.writer, left);
    for (const copy of shot.there) found.set(copy.key.toString('latin1'), copy);
    bytes += shot.memoryBytes;
    if (shot.tooLarge.length > 0 || bytes > MAX_SNAPSHOT_BYTES) throw noUndo(TOO_LARGE);
    left = shot.left;
  }
  return keys.map((key) => ({ key, copy: found.get(key.toString('latin1')) ?? null }));
};

/** Whether the line will have an undo, without reading a value. */
export const undoStateOf = async (ctx: ReadContext, line: Line): Promise<(typeof UNDO_STATES)[number]> => {
  if (line.kind === 'read') return 'read';
  const keys = keysOf(line);
  if (keys.length > MAX_UNDO_KEYS) return 'tooManyKeys';
  if (await isIncomparable(ctx, line)) return 'tooLarge';
  let bytes = 0;
  for (const key of keys) {
    const size = await ctx.reader.read(['MEMORY USAGE', key]).catch(withoutPermission(0));
    bytes += size ?? 0;
  }
  return bytes > MAX_SNAPSHOT_BYTES ? 'tooLarge' : 'possible';
};

export type LineStates = readonly (KeyState | null)[];

/** What an etag covers of each key of a line; null for more keys than are compared. */
export const lineStates = async (ctx: ReadContext, line: Line): Promise<LineStates | null> => {
  const keys = keysOf(line);
  if (line.kind === 'read' || keys.length > MAX_UNDO_KEYS) return null;
  const states: (KeyState | null)[] = [];
  for (const key of keys) states.push(await readKeyState(ctx, key));
  return states;
};

/** The content of all keys of a line together; null where they are not compared. */
export const etagOfStates = (ctx: ReadContext, line: Line, states: LineStates | null): string | null => {
  const etags = states?.map((state, i) => state && etagOf(ctx, keysOf(line)[i]!, state));
  return etags ? digest('etag', Buffer.from(`line\0${JSON.stringify(etags)}`), 27) : null;
};

export const lineEtag = async (ctx: ReadContext, line: Line): Promise<string | null> =>
  etagOfStates(ctx, line, await lineStates(ctx, line));
