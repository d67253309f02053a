import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { call } from '@/lib/api-client';
import { conventionContracts } from '@/lib/conventions/schema';

/** A scheduled check, or another user's change, appears by itself. */
const REFRESH_MS = 15_000;

export const conventionQueries = {
  report: (connection: string) =>
    queryOptions({
      ...readQuery(conventionContracts.report, connection, {}),
      refetchInterval: REFRESH_MS,
    }),

  history: (connection: string) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(conventionContracts.history, connection),
      queryFn: ({ pageParam, signal }) =>
        call(conventionContracts.history, pageAfter(pageParam), { connection, signal }),
      ...cursorPages,
    }),
};
