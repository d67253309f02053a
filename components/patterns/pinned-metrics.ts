import { queryOptions, useMutation } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { metricContracts } from '@/lib/metrics/schema';
import { refetchEvery } from './refetch';
import { useRefetch } from './use-refetch';

type Contracts = typeof metricContracts;

/** The server shares a reading among all who ask within four seconds. */
const REFETCH_MS = 5000;

/** What the user pinned to the overview of a connection, with its values now. */
export const pinnedQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.pinnedMetrics(connection),
    queryFn: ({ signal }) => call(metricContracts.pinned, {}, { connection, signal }),
    refetchInterval: refetchEvery(REFETCH_MS),
  });

/** Pins a figure to the user's own overview, or takes it off. */
export const usePinChange = <Id extends 'pin' | 'unpin'>(which: Id, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts[Id]>) =>
      call<Contracts[Id]>(metricContracts[which], input, { connection }),
    onSettled: useRefetch(queryKeys.pinnedMetrics(connection)),
  });
