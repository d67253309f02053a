import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanPatterns } from '@/lib/redis/scan';
import type { Branch, Search } from './target';

/** Whether the connection's budget has no pauses. Then the next page is read while one is processed. */
export const isUnthrottled = ({ connection }: ReadContext): boolean => connection.budget.limits.pauseMs === 0;

/** Chunks of the budget per call: for most keys the server only compares the name. */
export const CHUNKS_PER_CALL = 10;

/** Covers several pages: a key may come twice, from two patterns or from a table that was resized. */
const MAX_REMEMBERED = 50_000;

export const idOf = (key: Key): string => key.toString('latin1');

interface Options {
  /** Keys to leave out, by `idOf`. */
  except: ReadonlySet<string>;
  /** Chunks of the budget per call. */
  times: number;
}

/** Keys whose names match the searched family, without those that their fields assign to another one. */
const identified = async (ctx: ReadContext, search: Search, keys: Key[]): Promise<Key[]> => {
  if (!search.confirmedFamily) return keys;
  const found = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
  return keys.filter((_, i) => found[i]!.family === search.confirmedFamily);
};

/** The keys that any of the branches searches for, each once, in one scan of the keyspace. */
export async function* scanBranches(
  ctx: ReadContext,
  branches: readonly Branch[],
  { except, times }: Options,
): AsyncGenerator<{ keys: Key[]; share: number }> {
  const searches = branches.flatMap(({ search }) => search ?? []);
  if (searches.length === 0) return;
  const isNew = distinct(MAX_REMEMBERED);
  const isFound = (key: Key): boolean =>
    searches.some((search) => search.accepts(key)) &&
    !(except.size > 0 && except.has(idOf(key))) &&
    isNew(key);
  const patterns = searches.map(({ match }) => match);
  const pages = scanPatterns(ctx.connection, patterns, { times });
  for await (const { keys, share } of isUnthrottled(ctx) ? ahead(pages) : pages)
    yield { keys: await identified(ctx, searches[0]!, keys.filter(isFound)), share };
}
