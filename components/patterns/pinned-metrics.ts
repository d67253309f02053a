import { queryOptions } from '@tanstack/react-query';
import { metricContracts } from '@/lib/metrics/schema';
import { readQuery } from './read-query';
import { refetchEvery } from './refetch';

/** The server shares a reading among all requests within four seconds. */
const REFETCH_MS = 5000;

/** The metrics a user pinned to a connection's overview, with current values. */
export const pinnedQuery = (connection: string) =>
  queryOptions({
    ...readQuery(metricContracts.pinned, connection, {}),
    refetchInterval: refetchEvery(REFETCH_MS),
  });
