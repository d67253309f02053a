import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { rememberLongKeys } from '@/lib/command/key-ids';
import type { Result } from '@/lib/contract';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { scanPage } from '@/lib/key-values/scan-page';
import type { Key } from '@/lib/redis/commands';
import type { FilledPage } from '@/lib/redis/page';
import { type KeySearch, resolveFilter } from './filter';
import { readFacts, rowOf } from './rows';
import type { KeyFilter, KeyRow, keyContracts } from './schema';

/** What `search` accepts by name, or by type and fields where the name is ambiguous. */
const select = async (ctx: ReadContext, search: KeySearch, keys: readonly Key[]): Promise<KeyIdentity[]> =>
  (await identify(ctx, keys.filter(search.mayAccept))).filter(search.accepts);

interface Found {
  key: Key;
  row: KeyRow;
}

/** Rows in order; null for keys that do not exist or whose type, TTL or size does not fit. */
const readRows = async (
  ctx: ReadContext,
  search: KeySearch,
  identities: readonly KeyIdentity[],
): Promise<(Found | null)[]> => {
  const facts = await readFacts(
    ctx,
    identities.map(({ key }) => key),
  );
  return identities.map((identity, i) => {
    const known = facts[i];
    if (!known || search.fits?.(known) === false) return null;
    return { key: identity.key, row: rowOf(ctx, identity, known) };
  });
};

const readExact = async (ctx: ReadContext, search: KeySearch, key: Key): Promise<FilledPage<Found>> => {
  const found = await readRows(ctx, search, await select(ctx, search, [key]));
  return { items: found.filter((one) => one !== null), nextCursor: null, examined: 1 };
};

/**
 * Keys by a filter. A name without wildcards, and a family with all its parameters, is looked up without a scan;
 * anything else is found by scanning, so pages may be short.
 */
export const listKeys = async (
  ctx: ReadContext,
  { cursor, limit, ...filter }: KeyFilter & { cursor?: string; limit: number },
): Promise<Result<typeof keyContracts.list>> => {
  const search = resolveFilter(ctx.catalog, filter);
  const total = await ctx.reader.size();
  const page = search.exact
    ? await readExact(ctx, search, search.exact)
    : await scanPage(ctx.connection, {
        cursor,
        limit,
        glob: search.glob,
        reads: search.fits !== undefined,
        select: (keys) => select(ctx, search, keys),
        read: (identities: readonly KeyIdentity[]) => readRows(ctx, search, identities),
      });
  const found = page.items;
  await rememberLongKeys(
    ctx,
    found.map(({ key }) => key),
  );
  return {
    items: found.map(({ row }) => row),
    nextCursor: page.nextCursor,
    examined: page.examined,
    total,
  };
};
