import { queryOptions } from '@tanstack/react-query';
import { sessionContracts } from '@/lib/sessions/schema';
import { readQuery } from './read-query';
import { RETRY_AFTER_MS } from './refetch';

const COUNTING_MS = 2000;
/** In a small keyspace each request counts again, so requests are limited to one per minute. */
const COUNTED_MS = 60_000;

/** Counts of sessions and tokens. A large keyspace is counted in the background; polled until that is done. */
export const sessionStatsQuery = (connection: string) =>
  queryOptions({
    ...readQuery(sessionContracts.stats, connection, {}),
    staleTime: 20_000,
    refetchInterval: ({ state }) => {
      if (state.status === 'error') return RETRY_AFTER_MS;
      return state.data?.counting ? COUNTING_MS : COUNTED_MS;
    },
  });
