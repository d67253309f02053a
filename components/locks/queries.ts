import { infiniteQueryOptions, useMutation } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchPagesEvery } from '@/components/patterns/refetch';
import { useRefetch } from '@/components/patterns/use-refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { lockContracts } from '@/lib/locks/schema';
import { processContracts } from '@/lib/processes/schema';
import type { LockFilter, StateFilter } from './address';

/** Locks live for seconds. */
const LOCKS_MS = 2000;
const STATES_MS = 3000;

export const lockQueries = {
  locks: (connection: string, filter: LockFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.locks(connection, filter),
      queryFn: ({ pageParam, signal }) =>
        call(lockContracts.list, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.locks(connection)),
      refetchInterval: refetchPagesEvery(LOCKS_MS),
    }),

  states: (connection: string, filter: StateFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.states(connection, filter),
      queryFn: ({ pageParam, signal }) =>
        call(processContracts.list, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.states(connection)),
      refetchInterval: refetchPagesEvery(STATES_MS),
    }),
};

export const useRelease = (connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<typeof lockContracts.release>) =>
      call(lockContracts.release, input, { connection }),
    // Also after a refusal: the lock is gone, or another owner has it.
    onSettled: useRefetch(queryKeys.locks(connection), queryKeys.overview(connection)),
  });
