import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { readEtag } from '@/lib/keys/etag';
import type { Key } from '@/lib/redis/commands';
import { isNotPermitted } from '@/lib/redis/failure';
import { snapshot } from '@/lib/snapshots/snapshot-keys';
import { type KeyDump, MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { MAX_UNDO_KEYS, type UNDO_STATES } from './schema';
import type { Line } from './typed-line';

export const keysOf = ({ keys }: Pick<Line, 'keys'>): Key[] => keys.map(({ identity }) => identity.key);

/** A key before a line. */
export interface Before {
  key: Key;
  /** Null where it did not exist. */
  copy: KeyDump | null;
}

export const noUndo = (why: string): Problem =>
  new Problem('no_undo', `This could not be undone: ${why}. Send withoutUndo to do it.`);

const TOO_LARGE = `its keys use more than ${MAX_SNAPSHOT_BYTES / 2 ** 20} MiB`;
const TOO_MANY = `more than ${MAX_UNDO_KEYS} keys are named`;

/** Copies of all keys of a line, in their order. Throws 409 where they are too many or too large. */
export const copyKeys = async (ctx: WriteContext, line: Line): Promise<Before[]> => {
  const keys = keysOf(line);
  if (keys.length > MAX_UNDO_KEYS) throw noUndo(TOO_MANY);
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
  let bytes = 0;
  for (const key of keys) {
    const size = await ctx.reader.read(['MEMORY USAGE', key]).catch((error: unknown) => {
      if (isNotPermitted(error)) return 0;
      throw error;
    });
    bytes += size ?? 0;
  }
  return bytes > MAX_SNAPSHOT_BYTES ? 'tooLarge' : 'possible';
};

/** The content of all keys of a line together; null for more keys than are compared. */
export const lineEtag = async (ctx: ReadContext, line: Line): Promise<string | null> => {
  const keys = keysOf(line);
  if (line.kind === 'read' || keys.length > MAX_UNDO_KEYS) return null;
  const etags: (string | null)[] = [];
  for (const key of keys) etags.push(await readEtag(ctx, key));
  return digest('etag', Buffer.from(`line\0${JSON.stringify(etags)}`), 27);
};
