import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { conventionContracts } from '@/lib/conventions/schema';

/** A scheduled check, or another user's change, appears by itself. */
const REFRESH_MS = 15_000;

export const conventionQueries = {
  report: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.conventions(connection),
      queryFn: ({ signal }) => call(conventionContracts.report, {}, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),

  history: (connection: string) =>
    infiniteQueryOptions({
      queryKey: queryKeys.conventionsHistory(connection),
      queryFn: ({ pageParam, signal }) =>
        call(conventionContracts.history, pageAfter(pageParam), { connection, signal }),
      ...cursorPages,
    }),
};
