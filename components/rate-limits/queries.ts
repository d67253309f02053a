import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { RETRY_AFTER_MS, refetchEvery } from '@/components/patterns/refetch';
import { useRefetch } from '@/components/patterns/use-refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { type RateWindow, rateLimitContracts } from '@/lib/rate-limits/schema';
import { DAY, iso } from '@/lib/time';
import type { WhatIfInput, WindowFilter } from './address';

export type WindowsPage = Result<typeof rateLimitContracts.list>;
export type WhatIf = Result<typeof rateLimitContracts.whatIf>;

const POLL_MS = 5000;
/** While the hash is still being read: rows and figures are of what was found so far. */
const READING_MS = 1000;

/** What can be looked back at, as long as the collector keeps each resolution. */
export const REFUSED_RANGES = {
  day: { spanMs: DAY, granularity: 'minutely' },
  week: { spanMs: 7 * DAY, granularity: 'hourly' },
  quarter: { spanMs: 90 * DAY, granularity: 'daily' },
} as const;
export type RefusedRange = keyof typeof REFUSED_RANGES;

export const rateLimitQueries = {
  windows: (connection: string, filter: WindowFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.rateWindows(connection, filter),
      placeholderData: keepWithin(queryKeys.rateWindows(connection)),
      queryFn: ({ pageParam, signal }) =>
        call(rateLimitContracts.list, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      // A list that is still being read grows by reading it again.
      getNextPageParam: (page) => (page.complete ? (page.nextCursor ?? undefined) : undefined),
      refetchInterval: ({ state: { status, data } }) => {
        if (status === 'error') return RETRY_AFTER_MS;
        const pages = data?.pages ?? [];
        if (pages.some((page) => !page.complete)) return READING_MS;
        // Every page is read again: whoever scrolled far asks no more of the server for it.
        return POLL_MS * Math.max(1, pages.length);
      },
    }),

  whatIf: (connection: string, input: WhatIfInput | null) =>
    queryOptions({
      queryKey: queryKeys.whatIf(connection, input),
      placeholderData: keepWithin(queryKeys.whatIf(connection)),
      queryFn: ({ signal }) => call(rateLimitContracts.whatIf, input ?? {}, { connection, signal }),
      enabled: input !== null,
      refetchInterval: refetchEvery(POLL_MS),
    }),

  /** Refused events of a project up to now; `from` and `to` of the answer are epoch ms. */
  refused: (connection: string, projectId: string, range: RefusedRange) =>
    queryOptions({
      queryKey: queryKeys.refused(connection, projectId, range),
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

/** A window as it was seen when somebody decided about it. */
export interface WindowChange {
  kind: 'reset' | 'repair';
  window: Pick<RateWindow, 'fieldId' | 'etag'>;
  /** Of a repair: keep the field, with a window that is over. */
  replace: boolean;
  words: ChangeWords;
}

/** Resets or repairs one window; what it may have touched is read anew, also after a refusal. */
export const useChangeWindow = (connection: string) =>
  useMutation({
    mutationFn: ({ kind, window: { fieldId, etag }, replace, words }: WindowChange) => {
      const seen = { fieldId, ...(etag === null ? {} : { etag }), ...words };
      return kind === 'reset'
        ? call(rateLimitContracts.reset, seen, { connection })
        : call(rateLimitContracts.repair, { ...seen, replace }, { connection });
    },
    onSettled: useRefetch(
      queryKeys.rateWindows(connection),
      queryKeys.whatIf(connection),
      queryKeys.overview(connection),
    ),
  });
