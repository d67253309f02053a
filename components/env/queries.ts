import { queryOptions } from '@tanstack/react-query';
import { readAllQuery, readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { useCommand } from '@/components/patterns/use-command';
import type { Result } from '@/lib/contract';
import { envContracts } from '@/lib/env/schema';

export type HistoryStep = Result<typeof envContracts.history>['items'][number];

/** Other users and applications change variables, too. */
const REFRESH_MS = 10_000;
/** Interval while the server still scans for newer names. */
const SCANNING_MS = 1000;

export const envQueries = {
  list: (connection: string) =>
    queryOptions({
      ...readQuery(envContracts.list, connection, {}),
      refetchInterval: ({ state }) =>
        refetchEvery(state.data?.complete === false ? SCANNING_MS : REFRESH_MS)({ state }),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      ...readQuery(envContracts.history, connection, { name }),
      // Not cached after the drawer closes: the variable may become secret, and old values are in it.
      gcTime: 0,
    }),

  backups: (connection: string) =>
    queryOptions({
      ...readAllQuery(envContracts.backups, connection),
      refetchInterval: refetchEvery(false),
    }),
};

type Contracts = typeof envContracts;
/** Changes whose response never holds a secret's value. */
type Change = Contracts['set' | 'create' | 'rename' | 'delete' | 'import' | 'restore'];

/** A change. `gcTime` 0: typed values are not cached after the drawer closes. */
export const useChange = <C extends Change>(contract: C) => useCommand(contract, undefined, { gcTime: 0 });
