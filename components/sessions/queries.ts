import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { repairContracts } from '@/lib/sessions/repair/schema';
import { revocationContracts } from '@/lib/sessions/revocation/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { dropMatches } from './use-session-search';

export type RevokeInput = WireInput<typeof revocationContracts.revoke>;
export type RepairInput = WireInput<typeof repairContracts.repair>;

const PAGE = 100;
/** After a failure the page recovers by itself within 5 s. */
const AGAIN_MS = 3000;
const COUNTING_MS = 2000;
const COUNT_AGAIN_MS = 60_000;

const againAfterError = ({ state }: { state: { status: string } }) =>
  state.status === 'error' ? AGAIN_MS : false;

export const sessionQueries = {
  /** Found by scanning: pages are short, and only the last one ends the list. */
  list: (connection: string) =>
    infiniteQueryOptions({
      queryKey: ['sessions.list', connection],
      queryFn: ({ pageParam, signal }) =>
        call(
          sessionContracts.list,
          { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
          { connection, signal },
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.nextCursor ?? undefined,
      staleTime: 30_000,
      refetchInterval: againAfterError,
    }),

  /** Counts of every state. A large keyspace is counted in the background: asked again until that is done. */
  stats: (connection: string) =>
    queryOptions({
      queryKey: ['sessions.stats', connection],
      queryFn: ({ signal }) => call(sessionContracts.stats, {}, { connection, signal }),
      staleTime: 20_000,
      refetchInterval: ({ state }) => {
        if (state.status === 'error') return AGAIN_MS;
        return state.data?.counting ? COUNTING_MS : COUNT_AGAIN_MS;
      },
    }),

  /** What a revocation would do. Counted anew for every drawer that opens (`round`). */
  preview: (connection: string, input: RevokeInput, round: number) =>
    queryOptions({
      queryKey: ['sessions.revoke', 'dryRun', connection, round, input],
      queryFn: async ({ signal }) => {
        const result = await call(
          revocationContracts.revoke,
          { ...input, dryRun: true },
          { connection, signal },
        );
        if ('jobId' in result) throw new Error('A dry run is answered at once: it never becomes a job.');
        return result;
      },
      placeholderData: (last, query) => (query?.queryKey[3] === round ? last : undefined),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
};

export const useRevokeSessions = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: RevokeInput) => call(revocationContracts.revoke, input, { connection }),
    onSuccess: (result, { handles }) => {
      const changed = ['sessions.list', 'sessions.user', 'sessions.stats', 'overview.get'];
      // Going through the keyspace again for a few known sessions would be much work for nothing.
      if (handles && 'remaining' in result && result.remaining === 0)
        dropMatches(client, connection, handles);
      else changed.push('sessions.search');
      for (const id of changed) void client.invalidateQueries({ queryKey: [id, connection] });
    },
  });
};

/** Starts a repair's job, or that of its dry run. */
export const useRepairSessions = (connection: string) =>
  useMutation({
    mutationFn: (input: RepairInput) => call(repairContracts.repair, input, { connection }),
  });
