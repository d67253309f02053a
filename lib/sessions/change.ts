import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { withDetail } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { inOneSlot } from '@/lib/redis/one-slot';
import type { SessionKey } from './keys';
import { factIn } from './storage';
import { MAX_VALUE_BYTES } from './stored-values';

/** How many sessions, index entries and legacy keys were removed or changed. */
interface Changed {
  session: number;
  entry: number;
  legacy: number;
}

interface Change {
  action: 'revoke' | 'unindex' | 'index' | 'expire';
  /** The owner or value that must still be stored: `owner` or `unchanged` of `StoredValue`. */
  expected: Buffer;
  legacy?: readonly Key[];
  leftMs?: number;
}

type Indexed = Pick<SessionKey, 'storage' | 'key' | 'index' | 'member'>;

/** A session with the keys that contain its token. */
interface Kept extends Pick<SessionKey, 'key' | 'index'> {
  legacy?: readonly Key[];
}

/**
 * In a cluster a session, its index and its legacy keys may be in different slots, so no script can change all of
 * them.
 */
export const isApart = ({ connection }: Pick<ReadContext, 'connection'>, session: Kept): boolean => {
  const { key, index, legacy = [] } = session;
  return !inOneSlot(connection, [key, ...(index ? [index] : []), ...legacy]);
};

/**
 * The index for a script that changes it together with the session; the session's own key where there is none, or it
 * is in another slot.
 */
export const indexFor = (ctx: ReadContext, session: Kept): Key =>
  isApart(ctx, session) ? session.key : (session.index ?? session.key);

/**
 * Changes an index in another slot, after its session: an entry without a session gives no access, and the next repair
 * finds what an interruption leaves. Returns 1 where it changed an entry.
 */
export const changeIndex = async (
  ctx: WriteContext,
  { storage, index, member }: Pick<Indexed, 'storage' | 'index' | 'member'>,
  action: 'remove' | 'add' | 'keep',
  leftMs = 0,
): Promise<number> => {
  if (index === null) return 0;
  const type = storage.index?.type ?? 'set';
  const [changed] = await ctx.writer.run('index-entry', [index], [action, member, type, leftMs]);
  return Number(changed);
};

const LEGACY_LEFT =
  'The session was ended; its legacy keys, which may give access too, were not. Revoke all sessions of its user again, or repair legacy keys.';
const ENTRY_LEFT = 'The session was ended; its index entry is still there, until the next repair.';

/**
 * Ends a session whose other keys are in other slots. Legacy keys first: they give access too, and the same revocation
 * finds them only while the session exists. Their failure does not keep the session alive. The entry is last, because
 * it gives no access.
 */
export const endApart = async (
  ctx: WriteContext,
  session: Pick<Indexed, 'storage' | 'index' | 'member'>,
  legacy: readonly Key[],
  end: () => Promise<{ session: number; keepsEntry: boolean }>,
): Promise<Changed> => {
  const removed = await ctx.writer.unlink(legacy).catch((error: unknown) => ({ error }));
  const { session: ended, keepsEntry } = await end();
  if (typeof removed !== 'number') throw withDetail(removed.error, LEGACY_LEFT);
  const entry = keepsEntry
    ? 0
    : await changeIndex(ctx, session, 'remove').catch((error: unknown) => {
        throw withDetail(error, ENTRY_LEFT);
      });
  return { session: ended, legacy: removed, entry };
};

/** Changes a session if its value still equals what was read: in one atomic step, where its index is in the same slot. */
export const changeOwned = async (
  ctx: WriteContext,
  session: Indexed,
  { action, expected, legacy = [], leftMs = 0 }: Change,
): Promise<Changed> => {
  const { storage, key, member, index } = session;
  const user = factIn(storage, 'userId');
  const path = !user ? [] : storage.type === 'hash' ? [user.field] : user.path;
  const type = storage.index?.type ?? 'set';
  const runWith = async (keys: readonly Key[]) => {
    const args = [action, member, type, expected, storage.type, MAX_VALUE_BYTES, leftMs, ...path];
    const [done, entry, others, found, ttl] = await ctx.writer.run('owned-session', keys, args);
    const changed = { session: Number(done), entry: Number(entry), legacy: Number(others) };
    return { changed, found: String(found), ttl: Number(ttl) };
  };
  if (!isApart(ctx, { key, index, legacy })) return (await runWith([key, index ?? key, ...legacy])).changed;
  const withoutOthers = () => runWith([key, key]);
  if (action === 'revoke')
    return endApart(ctx, session, legacy, async () => {
      const { changed, found } = await withoutOthers();
      // A session that became unreadable keeps its entry, so that it is found again.
      return { session: changed.session, keepsEntry: found === 'changed' };
    });
  const { changed, found, ttl } = await withoutOthers();
  if (action === 'unindex' && ['missing', 'other'].includes(found))
    return { ...changed, entry: await changeIndex(ctx, session, 'remove') };
  if (action === 'index' && found === 'same')
    return { ...changed, session: Math.max(0, await changeIndex(ctx, session, 'add', ttl)) };
  if (action === 'expire' && changed.session === 2) await changeIndex(ctx, session, 'remove');
  if (action === 'expire' && changed.session === 1) await changeIndex(ctx, session, 'keep', leftMs);
  return changed;
};
