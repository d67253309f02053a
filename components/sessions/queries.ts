import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { revocationContracts } from '@/lib/sessions/revocation/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { dropMatches } from './use-session-search';

export type RevokeInput = WireInput<typeof revocationContracts.revoke>;

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

  /** What a revocation would do. Counted again each time the drawer opens (`round`). */
  preview: (connection: string, input: RevokeInput, round: number) =>
    queryOptions({
      queryKey: queryKeys.revocation(connection, round, input),
      queryFn: async ({ signal }) => {
        const result = await call(
          revocationContracts.revoke,
          { ...input, dryRun: true },
          { connection, signal },
        );
        if ('jobId' in result) throw new Error('A dry run is answered at once: it never becomes a job.');
        return result;
      },
      placeholderData: keepWithin(queryKeys.revocation(connection, round)),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
};

export const useRevokeSessions = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: RevokeInput) => call(revocationContracts.revoke, input, { connection }),
    onSuccess: (result, { handles }) => {
      const { sessions, user, sessionStats, overview, sessionSearch } = queryKeys;
      const changed = [sessions, user, sessionStats, overview].map((keyOf) => keyOf(connection));
      // Searching the complete keyspace again to drop a few known sessions is too expensive.
      if (handles && 'remaining' in result && result.remaining === 0)
        dropMatches(client, connection, handles);
      else changed.push(sessionSearch(connection));
      for (const queryKey of changed) void client.invalidateQueries({ queryKey });
    },
  });
};
