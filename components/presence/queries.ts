import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { RANGES, type RangeId } from '@/components/patterns/ranges';
import { RETRY_AFTER_MS } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { presenceContracts } from '@/lib/presence/schema';

const REFETCH_MS = 10_000;
/** A refetch reads all loaded pages, so a list with more of them is refetched less often. */
const PAGES_PER_REFETCH = 5;

export const presenceQueries = {
  /** Found by SSCAN: a page may be short or empty, and only a missing cursor ends the list. */
  online: (connection: string, q: string) =>
    infiniteQueryOptions({
      queryKey: queryKeys.presence(connection, q),
      queryFn: async ({ pageParam, signal }) => {
        const input = { ...(q && { q }), ...pageAfter(pageParam) };
        const page = await call(presenceContracts.get, input, { connection, signal });
        return { ...page, examined: page.items.length, keys: page.online };
      },
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.presence(connection)),
      refetchInterval: ({ state }) =>
        state.status === 'error'
          ? RETRY_AFTER_MS
          : REFETCH_MS * Math.max(1, Math.ceil((state.data?.pages.length ?? 0) / PAGES_PER_REFETCH)),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  history: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeys.presenceHistory(connection, range),
      placeholderData: keepWithin(queryKeys.presenceHistory(connection)),
      queryFn: async ({ signal }) => {
        const { spanMs, stepSeconds } = RANGES[range];
        const to = Date.now();
        const from = to - spanMs;
        const input = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), stepSeconds };
        return { ...(await call(presenceContracts.history, input, { connection, signal })), from, to };
      },
      refetchInterval: RANGES[range].refetchMs,
    }),
};
