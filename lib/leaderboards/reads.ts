import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import { notFound, Problem } from '@/lib/errors';
import { type Listed, listedItems, listKeys, readTyped } from '@/lib/key-values/listed-keys';
import { measureElements } from '@/lib/key-values/raw-elements';
import { cursorAt, indexAt } from '@/lib/list-page';
import { isWrongType } from '@/lib/redis/failure';
import { roleKeys } from '@/lib/role-keys/role-keys';
import { askedMember, placeOf, readRanks } from './ranks';
import type { Leaderboard, leaderboardContracts } from './schema';

const TOP = { order: 'desc', before: 0, count: 1 } as const;

const readLeaderboard = async (ctx: ReadContext, listed: Listed): Promise<Leaderboard | null> => {
  const { key, row } = listed;
  if (row.type === 'none') return null;
  const read = await readTyped(listed, ['zset'], async () => {
    const [members, [top = null]] = await Promise.all([
      ctx.reader.read(['ZCARD', key]),
      readRanks(ctx, listed, TOP),
    ]);
    return { members, top };
  });
  return { ...row, members: null, top: null, problem: null, ...read };
};

/** leaderboards.list */
export const listLeaderboards: ReadOf<typeof leaderboardContracts.list> = async (ctx, page) => {
  const found = await roleKeys(ctx.connection, ctx.catalog, ['leaderboard']);
  return listedItems(ctx, 'leaderboards.list', found, page, (listed) => readLeaderboard(ctx, listed));
};

const notASortedSet = (): Problem =>
  new Problem('conflict', 'This key is no sorted set, so it has no ranks. Open it in the key inspector.');

/** leaderboards.get: 404 where the key does not exist or is no leaderboard by its name, 409 for another type. */
export const getLeaderboard: ReadOf<typeof leaderboardContracts.get> = async (
  ctx,
  { keyId, order, cursor, limit, ...asked },
) => {
  const key = await findKey(ctx, keyId);
  const [before, member] = [cursor === undefined ? 0 : indexAt(cursor), askedMember(asked)];
  if (ctx.catalog.locate(key).family?.role !== 'leaderboard') throw notFound('This leaderboard');
  const [listed] = await listKeys(ctx, [key]);
  const { row } = listed!;
  if (row.type === 'none') throw notFound('This leaderboard');
  if (row.type !== 'zset') throw notASortedSet();
  try {
    const { length: total, count } = await measureElements(ctx, key, 'ZCARD', limit);
    const [items, place] = await Promise.all([
      readRanks(ctx, listed!, { order, before, count }),
      member && placeOf(ctx, key, member, order),
    ]);
    const next = before + items.length;
    const nextCursor = items.length > 0 && next < total ? cursorAt([next]) : null;
    return { keyId: row.keyId, key: row.key, items, nextCursor, total, member: place };
  } catch (error) {
    if (isWrongType(error)) throw notASortedSet();
    throw error;
  }
};
