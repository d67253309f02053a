import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { RANGES, type RangeId, timeSpanOf } from '@/components/patterns/ranges';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery, refetchPagesEvery } from '@/components/patterns/refetch';
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
      ...readQuery(queueContracts.list, connection, { keyId: keyId ?? '', limit: 1 }),
      refetchInterval: refetchEvery(POLL_MS),
    }),

  peek: (connection: string, keyId: string, from: End) =>
    queryOptions({
      ...readQuery(queueContracts.peek, connection, { keyId, from, limit: 20 }),
      placeholderData: keepWithin(queryKeyOf(queueContracts.peek, connection, { keyId })),
      refetchInterval: refetchEvery(POLL_MS),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  series: (connection: string, keyId: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeyOf(queueContracts.series, connection, { keyId, range }),
      placeholderData: keepWithin(queryKeyOf(queueContracts.series, connection, { keyId })),
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
      queryKey: queryKeyOf(leaderboardContracts.get, connection, { keyId, order }),
      placeholderData: keepWithin(queryKeyOf(leaderboardContracts.get, connection, { keyId })),
      queryFn: ({ pageParam, signal }) =>
        call(leaderboardContracts.get, { keyId, order, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      refetchInterval: refetchPagesEvery(POLL_MS),
    }),

  rankOf: (connection: string, keyId: string, order: Order, member: string) =>
    queryOptions({
      ...readQuery(leaderboardContracts.get, connection, { keyId, order, member, limit: 1 }),
      enabled: member !== '',
      refetchInterval: refetchEvery(POLL_MS),
    }),
};
