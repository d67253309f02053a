import { queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { DAY, iso } from '@/lib/time';
import type { WhatIfInput } from './address';

export type WhatIf = Result<typeof rateLimitContracts.whatIf>;

const POLL_MS = 5000;

/** Ranges of refused events, by the collector's retention of each resolution. */
export const REFUSED_RANGES = {
  day: { spanMs: DAY, granularity: 'minutely' },
  week: { spanMs: 7 * DAY, granularity: 'hourly' },
  quarter: { spanMs: 90 * DAY, granularity: 'daily' },
} as const;
export type RefusedRange = keyof typeof REFUSED_RANGES;

export const rateLimitQueries = {
  whatIf: (connection: string, input: WhatIfInput | null) =>
    queryOptions({
      ...readQuery(rateLimitContracts.whatIf, connection, input ?? {}),
      placeholderData: keepWithin(queryKeyOf(rateLimitContracts.whatIf, connection)),
      enabled: input !== null,
      refetchInterval: refetchEvery(POLL_MS),
    }),

  /** Refused events of a project up to now; `from` and `to` of the answer are epoch ms. */
  refused: (connection: string, projectId: string, range: RefusedRange) =>
    queryOptions({
      queryKey: queryKeyOf(rateLimitContracts.refused, connection, { projectId, range }),
      placeholderData: keepWithin(queryKeyOf(rateLimitContracts.refused, connection, { projectId })),
      queryFn: async ({ signal }) => {
        const { spanMs, granularity } = REFUSED_RANGES[range];
        const to = Date.now();
        const from = to - spanMs;
        const input = { projectId, from: iso(from), to: iso(to), granularity };
        return { ...(await call(rateLimitContracts.refused, input, { connection, signal })), from, to };
      },
      refetchInterval: 30_000,
    }),
};
