import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages } from '@/components/patterns/cursor-pages';
import { wireOf } from '@/components/patterns/history-queries';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { RANGES, type RangeId, timeSpanOf } from '@/components/patterns/ranges';
import { RETRY_AFTER_MS } from '@/components/patterns/refetch';
import { call } from '@/lib/api-client';
import { metricContracts } from '@/lib/metrics/schema';

/** Rows are keys, of which a name has several. */
const PAGE_SIZE = 200;
const REFETCH_MS = 10_000;
/** A refetch reads all loaded pages, so a list with more of them is refetched less often. */
const PAGES_PER_REFETCH = 3;

/** One number over time: a metric, or a field of statistics. */
export interface FigureRef {
  keyId: string;
  fieldId?: string;
}

export const metricQueries = {
  list: (connection: string, q: string) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(metricContracts.list, connection, { q }),
      queryFn: ({ pageParam: cursor, signal }) => {
        const input = { ...(q && { q }), ...(cursor && { cursor }), limit: PAGE_SIZE, withSeries: true };
        return call(metricContracts.list, input, { connection, signal });
      },
      ...cursorPages,
      placeholderData: keepWithin(queryKeyOf(metricContracts.list, connection)),
      refetchInterval: ({ state }) =>
        state.status === 'error'
          ? RETRY_AFTER_MS
          : REFETCH_MS * Math.max(1, Math.ceil((state.data?.pages.length ?? 0) / PAGES_PER_REFETCH)),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  series: (connection: string, figure: FigureRef, range: RangeId) =>
    queryOptions({
      queryKey: queryKeyOf(metricContracts.series, connection, { ...figure, range }),
      placeholderData: keepWithin(queryKeyOf(metricContracts.series, connection, figure)),
      queryFn: async ({ signal }) => {
        const { from, to, stepSeconds } = timeSpanOf(range, Date.now());
        const input = { ...figure, ...wireOf({ from, to, stepSeconds }) };
        return { ...(await call(metricContracts.series, input, { connection, signal })), from, to };
      },
      refetchInterval: RANGES[range].refetchMs,
    }),
};
