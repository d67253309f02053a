import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { metricContracts } from '@/lib/history/schema';
import { insightContracts } from '@/lib/insights/schema';
import { RANGES, type RangeId } from './ranges';

/** Another connection's figures must never stand in for this one's while they load. */
const sameConnection =
  (connection: string) =>
  <T>(last: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    query?.queryKey[1] === connection ? keepPreviousData(last) : undefined;

export const overviewQueries = {
  /** History up to now; `from` and `to` of the answer are epoch ms. */
  series: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: ['metrics.series', connection, range],
      queryFn: async ({ signal }) => {
        const { spanMs, stepSeconds } = RANGES[range];
        const to = Date.now();
        const from = to - spanMs;
        const input = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), stepSeconds };
        return { ...(await call(metricContracts.series, input, { connection, signal })), from, to };
      },
      refetchInterval: RANGES[range].refetchMs,
      placeholderData: sameConnection(connection),
    }),

  families: (connection: string) =>
    queryOptions({
      queryKey: ['families.list', connection],
      queryFn: ({ signal }) => call(insightContracts.families, {}, { connection, signal }),
      refetchInterval: 30_000,
      placeholderData: sameConnection(connection),
    }),
};
