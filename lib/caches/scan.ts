import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanPatterns } from '@/lib/redis/scan';
import type { Branch, Search } from './target';

/** The connection's budget asks for no pauses: then reading goes on while what was read is worked on. */
export const isUnthrottled = ({ connection }: ReadContext): boolean => connection.budget.limits.pauseMs === 0;

/** A call may take this many of the budget's chunks, for of most keys the server only looks at the name. */
export const CHUNKS_PER_CALL = 10;

/** Several pages of a scan: patterns give a key twice in one, a resized table in the next. */
const MAX_REMEMBERED = 50_000;

export const idOf = (key: Key): string => key.toString('latin1');

interface Options {
  /** Keys that are not to be given, by `idOf`: they were named as well. */
  except: ReadonlySet<string>;
  /** Chunks of the budget that one call takes. */
  times: number;
}

/** Of keys that a search for a family accepted by their names, those that really are of it. */
const identified = async (ctx: ReadContext, search: Search, keys: Key[]): Promise<Key[]> => {
  if (!search.confirmedFamily) return keys;
  const found = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
  return keys.filter((_, i) => found[i]!.family === search.confirmedFamily);
};

/** The keys that any of the branches searches for, each once, in one walk through the keyspace. */
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
