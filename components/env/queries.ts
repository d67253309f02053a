import { queryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { useCommand } from '@/components/patterns/use-command';
import { queryKeys } from '@/components/query-keys';
import { call, callAll } from '@/lib/api-client';
import { envContracts } from '@/lib/env/schema';

/** Other users and applications change variables, too. */
const REFRESH_MS = 10_000;
/** Interval while the server still scans for newer names. */
const SCANNING_MS = 1000;

export const envQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.variables(connection),
      queryFn: ({ signal }) => call(envContracts.list, {}, { connection, signal }),
      refetchInterval: ({ state }) =>
        refetchEvery(state.data?.complete === false ? SCANNING_MS : REFRESH_MS)({ state }),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: queryKeys.variableHistory(connection, name),
      queryFn: ({ signal }) => call(envContracts.history, { name }, { connection, signal }),
      // Not cached after the drawer closes: the variable may become secret, and old values are in it.
      gcTime: 0,
    }),

  backups: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.backups(connection),
      queryFn: ({ signal }) => callAll(envContracts.backups, {}, { connection, signal }),
      refetchInterval: refetchEvery(false),
    }),
};

type Contracts = typeof envContracts;
/** Changes whose response never holds a secret's value. */
type Change = Contracts['set' | 'create' | 'rename' | 'delete' | 'import' | 'restore'];

/** A change. `gcTime` 0: typed values are not cached after the drawer closes. */
export const useChange = <C extends Change>(contract: C, connection: string) =>
  useCommand(contract, connection, { gcTime: 0 });
