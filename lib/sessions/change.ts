import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
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
  /** What the value must still be: an `owner` or `unchanged` of `StoredValue`. */
  expected: Buffer;
  legacy?: readonly Key[];
  leftMs?: number;
}

type Indexed = Pick<SessionKey, 'storage' | 'key' | 'index' | 'member'>;

/** In a cluster a session, its index and its legacy keys may be on different nodes, so no script can change all of them. */
export const isApart = (ctx: ReadContext): boolean => ctx.connection.topology.kind === 'cluster';

/** The index for a script that changes a session with it; the session's own key where there is none, or it is apart. */
export const indexFor = (ctx: ReadContext, { key, index }: Pick<Indexed, 'key' | 'index'>): Key =>
  isApart(ctx) ? key : (index ?? key);

/**
 * Changes the index of a session where it is apart, after the session: an entry without a session gives no access, and what
 * an interruption leaves is found by the next repair. Returns 1 where it changed an entry.
 */
export const changeIndex = async (
  ctx: WriteContext,
  { storage, index, member }: Pick<Indexed, 'storage' | 'index' | 'member'>,
  action: 'remove' | 'add' | 'keep',
  leftMs = 0,
): Promise<number> => {
  if (!isApart(ctx) || index === null) return 0;
  const type = storage.index?.type ?? 'set';
  const [changed] = await ctx.writer.run('index-entry', [index], [action, member, type, leftMs]);
  return Number(changed);
};

/** Changes a session while its value is still what was read: in one atomic step, where it is not apart from its index. */
export const changeOwned = async (
  ctx: WriteContext,
  session: Indexed,
  { action, expected, legacy = [], leftMs = 0 }: Change,
): Promise<Changed> => {
  const { storage, key, member } = session;
  const user = factIn(storage, 'userId');
  const path = !user ? [] : storage.type === 'hash' ? [user.field] : user.path;
  const type = storage.index?.type ?? 'set';
  const together = isApart(ctx) ? [] : legacy;
  const before = isApart(ctx) ? await ctx.writer.unlink(legacy) : 0;
  const [done, entry, others, found, ttl] = await ctx.writer.run(
    'owned-session',
    [key, indexFor(ctx, session), ...together],
    [action, member, type, expected, storage.type, MAX_VALUE_BYTES, leftMs, ...path],
  );
  const changed = { session: Number(done), entry: Number(entry), legacy: Number(others) + before };
  if (!isApart(ctx)) return changed;
  switch (action) {
    case 'revoke':
      // A session that cannot be read any more keeps its entry, so that it is found again.
      return String(found) === 'changed'
        ? changed
        : { ...changed, entry: await changeIndex(ctx, session, 'remove') };
    case 'unindex':
      return ['missing', 'other'].includes(String(found))
        ? { ...changed, entry: await changeIndex(ctx, session, 'remove') }
        : changed;
    case 'index':
      return String(found) === 'same'
        ? { ...changed, session: Math.max(0, await changeIndex(ctx, session, 'add', Number(ttl))) }
        : changed;
    case 'expire':
      if (changed.session === 2) await changeIndex(ctx, session, 'remove');
      if (changed.session === 1) await changeIndex(ctx, session, 'keep', leftMs);
      return changed;
  }
};
