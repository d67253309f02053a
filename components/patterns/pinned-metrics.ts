import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { metricContracts } from '@/lib/metrics/schema';
import { refetchEvery } from './refetch';

/** The server shares a reading among all requests within four seconds. */
const REFETCH_MS = 5000;

/** The metrics a user pinned to a connection's overview, with current values. */
export const pinnedQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.pinnedMetrics(connection),
    queryFn: ({ signal }) => call(metricContracts.pinned, {}, { connection, signal }),
    refetchInterval: refetchEvery(REFETCH_MS),
  });
