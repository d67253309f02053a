import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import type { Result, WireInput } from '@/lib/contract';
import { SESSION_STATES, type Session, sessionContracts } from '@/lib/sessions/schema';

export interface SessionFilter {
  name: string;
  device: string;
  state: string;
}

export type Person = Result<typeof sessionContracts.user>;
export type RevokeInput = WireInput<typeof sessionContracts.revoke>;

const PAGE = 100;
/** After a failure the page recovers by itself within 5 s. */
const AGAIN_MS = 3000;

const isState = (text: string): text is Session['states'][number] =>
  (SESSION_STATES as readonly string[]).includes(text);

const againAfterError = ({ state }: { state: { status: string } }) =>
  state.status === 'error' ? AGAIN_MS : false;

export const sessionQueries = {
  /** Found by scanning: pages are short, and only the last one ends the list. */
  list: (connection: string, { name, device, state }: SessionFilter) =>
    infiniteQueryOptions({
      queryKey: ['sessions.list', connection, name, device, state],
      queryFn: ({ pageParam, signal }) =>
        call(
          sessionContracts.list,
          {
            limit: PAGE,
            ...(name ? { username: name } : {}),
            ...(device ? { device } : {}),
            ...(isState(state) ? { state } : {}),
            ...(pageParam ? { cursor: pageParam } : {}),
          },
          { connection, signal },
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.nextCursor ?? undefined,
      staleTime: 30_000,
      refetchInterval: againAfterError,
    }),

  /** One person. The values of another person are never shown while these load. */
  user: (connection: string, userId: string, complete: boolean) =>
    queryOptions({
      queryKey: ['sessions.user', connection, userId, complete],
      queryFn: ({ signal }) => call(sessionContracts.user, { userId, complete }, { connection, signal }),
      placeholderData: (last) => (last?.userId === userId ? last : undefined),
      refetchInterval: againAfterError,
    }),

  /** What a revocation would do. Counted anew for every drawer that opens (`round`). */
  preview: (connection: string, input: RevokeInput, round: number) =>
    queryOptions({
      queryKey: ['sessions.revoke', 'dryRun', connection, round, input],
      queryFn: async ({ signal }) => {
        const result = await call(
          sessionContracts.revoke,
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
    mutationFn: (input: RevokeInput) => call(sessionContracts.revoke, input, { connection }),
    onSuccess: () => {
      for (const id of ['sessions.list', 'sessions.user', 'overview.get'])
        void client.invalidateQueries({ queryKey: [id, connection] });
    },
  });
};
