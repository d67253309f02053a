import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { metricContracts } from '@/lib/metrics/schema';
import { refetchEvery } from './refetch';

/** The server shares a reading among all who ask within four seconds. */
const REFETCH_MS = 5000;

/** What the user pinned to the overview of a connection, with its values now. */
export const pinnedQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.pinnedMetrics(connection),
    queryFn: ({ signal }) => call(metricContracts.pinned, {}, { connection, signal }),
    refetchInterval: refetchEvery(REFETCH_MS),
  });
