import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import type { SessionKey } from './keys';
import { factIn } from './storage';
import { MAX_VALUE_BYTES } from './stored-values';

/** How many sessions, index entries and legacy keys a script removed or changed. */
interface Changed {
  session: number;
  entry: number;
  legacy: number;
}

interface Change {
  action: 'revoke' | 'unindex' | 'index' | 'expire';
  /** What the value must still be: an `owner` or `unchanged` of `StoredValue`. */
  expected: Buffer;
  legacy?: readonly Key[];
  leftMs?: number;
}

/** Changes a session in one atomic step, while its value is still what was read. */
export const changeOwned = async (
  ctx: WriteContext,
  { storage, key, index, member }: Pick<SessionKey, 'storage' | 'key' | 'index' | 'member'>,
  { action, expected, legacy = [], leftMs = 0 }: Change,
): Promise<Changed> => {
  const user = factIn(storage, 'userId');
  const path = !user ? [] : storage.type === 'hash' ? [user.field] : user.path;
  const type = storage.index?.type ?? 'set';
  const [session, entry, others] = await ctx.writer.run(
    'owned-session',
    [key, index ?? key, ...legacy],
    [action, member, type, expected, storage.type, MAX_VALUE_BYTES, leftMs, ...path],
  );
  return { session: Number(session), entry: Number(entry), legacy: Number(others) };
};
