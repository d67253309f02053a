import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import { notFound, Problem } from '@/lib/errors';
import { type Listed, listKeys, mapListed, pageOfKeys, scanFacts } from '@/lib/key-values/listed-keys';
import { measureElements } from '@/lib/key-values/raw-elements';
import { cursorAt, indexAt } from '@/lib/list-page';
import { isWrongType } from '@/lib/redis/failure';
import { roleKeys } from '@/lib/role-keys/role-keys';
import { UNREADABLE } from '@/lib/values/string-value';
import { askedMember, placeOf, readRanks } from './ranks';
import type { Leaderboard, leaderboardContracts } from './schema';

const TOP = { order: 'desc', before: 0, count: 1 } as const;

const readLeaderboard = async (ctx: ReadContext, listed: Listed): Promise<Leaderboard> => {
  const { key, row } = listed;
  const board = { ...row, members: null, top: null, problem: null };
  if (row.type === UNREADABLE) return { ...board, problem: 'unreadable' };
  if (row.type !== 'zset') return { ...board, problem: 'wrongType' };
  try {
    const [members, [top]] = await Promise.all([
      ctx.reader.read(['ZCARD', key]),
      readRanks(ctx, listed, TOP),
    ]);
    return { ...board, members, top: top ?? null };
  } catch (error) {
    // Replaced by a key of another type since its type was read.
    if (isWrongType(error)) return { ...board, problem: 'wrongType' };
    throw error;
  }
};

/** leaderboards.list */
export const listLeaderboards: ReadOf<typeof leaderboardContracts.list> = async (ctx, input) => {
  const found = await roleKeys(ctx.connection, ctx.catalog, ['leaderboard']);
  const keys = found.keys.map(({ key }) => key);
  const page = pageOfKeys(ctx, 'leaderboards.list', keys, input);
  const present = (await listKeys(ctx, page.keys)).filter(({ row }) => row.type !== 'none');
  const items = await mapListed(present, (listed) => readLeaderboard(ctx, listed));
  return { items, nextCursor: page.nextCursor, ...scanFacts(found) };
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
