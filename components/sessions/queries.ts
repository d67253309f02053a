import { infiniteQueryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { sessionContracts } from '@/lib/sessions/schema';

export const sessionQueries = {
  /** Found by SCAN: a page may be short or empty, and only a missing cursor ends the list. */
  list: (connection: string) =>
    infiniteQueryOptions({
      queryKey: queryKeys.sessions(connection),
      queryFn: ({ pageParam, signal }) =>
        call(sessionContracts.list, pageAfter(pageParam), { connection, signal }),
      ...cursorPages,
      staleTime: 30_000,
      refetchInterval: refetchEvery(false),
    }),
};
