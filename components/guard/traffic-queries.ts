import { queryOptions } from '@tanstack/react-query';
import { RANGES, type RangeId } from '@/components/patterns/ranges';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { auditContracts } from '@/lib/audit/schema';
import type { Input } from '@/lib/contract';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { historyContracts } from '@/lib/history/schema';

export type IpMap = Input<typeof trafficContracts.ipsTop>['map'];

/** A period is short and watched live; the sums of all time change slowly. */
const EVERY_MS: Record<IpMap, number> = { currentPeriod: 2000, all: 10_000 };
/** More marks would cover the chart. */
const MAX_CHANGES = 100;
const DAY_SECONDS = 86_400;

const spanOf = (range: RangeId) => {
  const to = Date.now();
  const from = to - RANGES[range].spanMs;
  return { from, to, input: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } };
};

export const trafficQueries = {
  top: (connection: string, map: IpMap, limit: number) =>
    queryOptions({
      queryKey: queryKeys.traffic(connection, map, limit),
      queryFn: ({ signal }) => call(trafficContracts.ipsTop, { map, limit }, { connection, signal }),
      refetchInterval: EVERY_MS[map],
      staleTime: 0,
      // Figures of the other map are never used as a placeholder.
      placeholderData: keepWithin(queryKeys.traffic(connection, map)),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  sizes: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeys.guardSizes(connection, range),
      placeholderData: keepWithin(queryKeys.guardSizes(connection)),
      queryFn: async ({ signal }) => {
        const { from, to, input } = spanOf(range);
        const request = { ...input, stepSeconds: RANGES[range].stepSeconds };
        return { ...(await call(trafficContracts.history, request, { connection, signal })), from, to };
      },
      refetchInterval: RANGES[range].refetchMs,
    }),

  /** Events of the Redis server. The points are not used, so the largest step is requested. */
  events: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeys.events(connection, range),
      placeholderData: keepWithin(queryKeys.events(connection)),
      queryFn: async ({ signal }) => {
        const request = { ...spanOf(range).input, stepSeconds: DAY_SECONDS };
        return (await call(historyContracts.series, request, { connection, signal })).events;
      },
      refetchInterval: RANGES[range].refetchMs,
    }),

  /** The newest changes of bans and blocks, newest first. */
  changes: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeys.guardChanges(connection, range),
      placeholderData: keepWithin(queryKeys.guardChanges(connection)),
      queryFn: async ({ signal }) => {
        const request = {
          ...spanOf(range).input,
          action: 'guard.',
          connection,
          outcome: 'succeeded' as const,
        };
        return (await call(auditContracts.list, { ...request, limit: MAX_CHANGES }, { signal })).items;
      },
      refetchInterval: RANGES[range].refetchMs,
    }),
};
