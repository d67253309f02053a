import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { shellQueries } from '@/components/shell/queries';
import { call } from '@/lib/api-client';
import { flagContracts } from '@/lib/flags/schema';
import { listInterval } from './list-interval';

const REFRESH_MS = 5000;

export const flagQueries = {
  list: (connection: string) =>
    queryOptions({
      ...shellQueries.flags(connection),
      refetchInterval: ({ state }) => listInterval(state.data, Date.now()),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: queryKeys.flagHistory(connection, name),
      queryFn: ({ signal }) => call(flagContracts.history, { name }, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),
};
