import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { useRefetch } from '@/components/patterns/use-refetch';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { conventionContracts } from '@/lib/conventions/schema';

type Contracts = typeof conventionContracts;

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

/** Starts a check, or repairs what breaks a rule: jobs both. */
export const useConventionJob = <Id extends 'check' | 'fix'>(which: Id, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts[Id]>) =>
      call<Contracts[Id]>(conventionContracts[which], input, { connection }),
    onSuccess: useRefetch(queryKeys.jobs()),
  });

/** Records a waiver or ends one. */
export const useWaiverChange = <Id extends 'waive' | 'unwaive'>(which: Id, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts[Id]>) =>
      call<Contracts[Id]>(conventionContracts[which], input, { connection }),
    onSettled: useRefetch(queryKeys.conventions(connection)),
  });
