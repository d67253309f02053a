import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { RANGES, type RangeId, timeSpanOf } from '@/components/patterns/ranges';
import { refetchEvery, refetchPagesEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { leaderboardContracts } from '@/lib/leaderboards/schema';
import { type End, queueContracts } from '@/lib/queues/schema';
import { iso } from '@/lib/time';

const POLL_MS = 5000;

export type QueueSeries = Result<typeof queueContracts.series> & { from: number; to: number };

export const queueQueries = {
  /** One queue, wherever it is in the list. */
  one: (connection: string, keyId: string | null) =>
    queryOptions({
      queryKey: queryKeys.queue(connection, keyId),
      queryFn: ({ signal }) =>
        call(queueContracts.list, { keyId: keyId ?? '', limit: 1 }, { connection, signal }),
      refetchInterval: refetchEvery(POLL_MS),
    }),

  peek: (connection: string, keyId: string, from: End) =>
    queryOptions({
      queryKey: queryKeys.queuePeek(connection, keyId, from),
      placeholderData: keepWithin(queryKeys.queuePeek(connection, keyId)),
      queryFn: ({ signal }) => call(queueContracts.peek, { keyId, from, limit: 20 }, { connection, signal }),
      refetchInterval: refetchEvery(POLL_MS),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  series: (connection: string, keyId: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeys.queueSeries(connection, keyId, range),
      placeholderData: keepWithin(queryKeys.queueSeries(connection, keyId)),
      queryFn: async ({ signal }): Promise<QueueSeries> => {
        const { from, to, stepSeconds } = timeSpanOf(range, Date.now());
        const input = { keyId, from: iso(from), to: iso(to), stepSeconds };
        return { ...(await call(queueContracts.series, input, { connection, signal })), from, to };
      },
      refetchInterval: refetchEvery(RANGES[range].refetchMs),
    }),
};

export type Order = 'desc' | 'asc';

export const leaderboardQueries = {
  ranks: (connection: string, keyId: string, order: Order) =>
    infiniteQueryOptions({
      queryKey: queryKeys.leaderboard(connection, keyId, order),
      placeholderData: keepWithin(queryKeys.leaderboard(connection, keyId)),
      queryFn: ({ pageParam, signal }) =>
        call(leaderboardContracts.get, { keyId, order, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      refetchInterval: refetchPagesEvery(POLL_MS),
    }),

  rankOf: (connection: string, keyId: string, order: Order, member: string) =>
    queryOptions({
      queryKey: queryKeys.leaderboardRank(connection, keyId, order, member),
      queryFn: ({ signal }) =>
        call(leaderboardContracts.get, { keyId, order, member, limit: 1 }, { connection, signal }),
      enabled: member !== '',
      refetchInterval: refetchEvery(POLL_MS),
    }),
};
