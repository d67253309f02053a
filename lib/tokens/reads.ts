import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { fillScanPage } from '@/lib/redis/page';
import { familiesOf } from '@/lib/sessions/keys';
import {
  type AnyKey,
  type AnyToken,
  matchOf,
  oauthStates,
  oauthTokens,
  type TokenKind,
  verificationTokens,
} from './kinds';
import type { TokenFilter } from './schema';

const PAGE_MS = 200;
const MAX_CHUNK = 100;

type ListInput = TokenFilter & { cursor?: string; limit: number };

/** The tokens of these keys that match, in order; null for the others. */
export const readPassing = async <K extends AnyKey, T extends AnyToken>(
  ctx: ReadContext,
  kind: TokenKind<K, T>,
  keys: readonly (K | null)[],
  filter: TokenFilter,
): Promise<(T | null)[]> => {
  const mayPass = (key: K | null): key is K => key !== null && kind.keyMayPass(key, filter);
  const read = await kind.read(ctx, keys.filter(mayPass));
  let next = 0;
  return keys.map((key) => {
    const token = mayPass(key) ? (read[next++] ?? null) : null;
    return token && kind.matches(token, filter) ? token : null;
  });
};

const list =
  <K extends AnyKey, T extends AnyToken>(kind: TokenKind<K, T>) =>
  async (ctx: ReadContext, { cursor, limit, ...filter }: ListInput) => {
    const keys = await ctx.reader.size();
    familiesOf(ctx, kind.roles);
    const exact = kind.exact?.(ctx, { filter });
    if (exact) {
      // A user's few tokens always fit on one page.
      const items = (await readPassing(ctx, kind, exact, filter)).filter((token) => token !== null);
      return { items, nextCursor: null, examined: exact.length, keys };
    }
    const match = matchOf(ctx, kind);
    if (match === null) return { items: [], nextCursor: null, examined: 0, keys };
    const scan = { match, chunk: MAX_CHUNK };
    const page = await fillScanPage<T>(ctx.connection, scan, {
      cursor,
      limit,
      withinMs: PAGE_MS,
      read: (elements) =>
        readPassing(
          ctx,
          kind,
          elements.map((key) => kind.parse(ctx, key)),
          filter,
        ),
    });
    return { ...page, keys };
  };

export const listOauthTokens = list(oauthTokens);
export const listVerificationTokens = list(verificationTokens);
export const listOauthStates = list(oauthStates);
