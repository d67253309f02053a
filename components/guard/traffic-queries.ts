import { queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { RANGES, type RangeId } from '@/components/patterns/ranges';
import { readQuery } from '@/components/patterns/read-query';
import { call } from '@/lib/api-client';
import { auditContracts } from '@/lib/audit/schema';
import type { Input } from '@/lib/contract';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { historyContracts } from '@/lib/history/schema';

export type IpMap = Input<typeof trafficContracts.ipsTop>['map'];

/** A period is short and watched live; the sums of all time change slowly. */
const EVERY_MS: Record<IpMap, number> = { currentPeriod: 2000, all: 10_000 };
/** Changes of bans and blocks. More marks would cover the chart. */
const GUARD_CHANGES = { action: 'guard.', outcome: 'succeeded', limit: 100 } as const;
const DAY_SECONDS = 86_400;

const spanOf = (range: RangeId) => {
  const to = Date.now();
  const from = to - RANGES[range].spanMs;
  return { from, to, input: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } };
};

export const trafficQueries = {
  top: (connection: string, map: IpMap, limit: number) =>
    queryOptions({
      ...readQuery(trafficContracts.ipsTop, connection, { map, limit }),
      refetchInterval: EVERY_MS[map],
      staleTime: 0,
      // Figures of the other map are never used as a placeholder.
      placeholderData: keepWithin(queryKeyOf(trafficContracts.ipsTop, connection, { map })),
    }),

  /** `from` and `to` of the answer are epoch ms. */
  sizes: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeyOf(trafficContracts.history, connection, { range }),
      placeholderData: keepWithin(queryKeyOf(trafficContracts.history, connection)),
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
      queryKey: queryKeyOf(historyContracts.series, connection, { eventsOf: range }),
      placeholderData: keepWithin(queryKeyOf(historyContracts.series, connection)),
      queryFn: async ({ signal }) => {
        const request = { ...spanOf(range).input, stepSeconds: DAY_SECONDS };
        return (await call(historyContracts.series, request, { connection, signal })).events;
      },
      refetchInterval: RANGES[range].refetchMs,
    }),

  /** The newest changes of bans and blocks, newest first. */
  changes: (connection: string, range: RangeId) =>
    queryOptions({
      queryKey: queryKeyOf(auditContracts.list, null, { ...GUARD_CHANGES, connection, range }),
      placeholderData: keepWithin(queryKeyOf(auditContracts.list, null, { ...GUARD_CHANGES, connection })),
      queryFn: async ({ signal }) => {
        const request = { ...spanOf(range).input, ...GUARD_CHANGES, connection };
        return (await call(auditContracts.list, request, { signal })).items;
      },
      refetchInterval: RANGES[range].refetchMs,
    }),
};
