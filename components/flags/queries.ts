import { queryOptions } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { shellQueries } from '@/components/shell/queries';
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
      ...readQuery(flagContracts.history, connection, { name }),
      refetchInterval: REFRESH_MS,
    }),
};
