import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanPatterns } from '@/lib/redis/scan';
import type { ScanPlace } from '@/lib/redis/scan-nodes';
import type { Branch, Search } from './target';

/** Multiple of the budget's chunk in the first call: for most keys the server only compares the name. */
const CHUNKS_PER_CALL = 10;

/** Covers several pages: a key may occur twice, by two patterns or because a table was resized. */
const MAX_REMEMBERED = 50_000;

export const idOf = (key: Key): string => key.toString('latin1');

interface Options {
  /** Keys to exclude, by `idOf`. */
  except: ReadonlySet<string>;
  isFaster?: () => boolean;
}

/** Keys whose names match the searched family, without those that belong to another one by their fields. */
const identified = async (ctx: ReadContext, search: Search, keys: Key[]): Promise<Key[]> => {
  if (!search.confirmedFamily) return keys;
  const identified = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
  return keys.filter((_, i) => identified[i]!.family === search.confirmedFamily);
};

/**
 * The keys that any of the branches searches for, each once, in one scan of the keyspace. The next page is read while
 * one is processed.
 */
export async function* scanBranches(
  ctx: ReadContext,
  branches: readonly Branch[],
  { except, isFaster }: Options,
): AsyncGenerator<Pick<ScanPlace, 'share' | 'part'> & { keys: Key[] }> {
  const searches = branches.flatMap(({ search }) => search ?? []);
  if (searches.length === 0) return;
  const isNew = distinct(MAX_REMEMBERED);
  const isFound = (key: Key): boolean =>
    searches.some((search) => search.accepts(key)) &&
    !(except.size > 0 && except.has(idOf(key))) &&
    isNew(key);
  const patterns = searches.map(({ match }) => match);
  const pages = scanPatterns(ctx.connection, patterns, { times: CHUNKS_PER_CALL, isFaster });
  for await (const { keys, share, part } of ahead(pages))
    yield { keys: await identified(ctx, searches[0]!, keys.filter(isFound)), share, part };
}
