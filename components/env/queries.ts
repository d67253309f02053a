import { queryOptions, useMutation } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { useCommand } from '@/components/patterns/use-command';
import { useRefetch } from '@/components/patterns/use-refetch';
import { queryKeys } from '@/components/query-keys';
import { call, callAll } from '@/lib/api-client';
import type { Result, WireInput } from '@/lib/contract';
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

/** Previews an import or a restore (dry run). */
export const usePlan = <C extends Contracts['import' | 'restore']>(contract: C, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, { ...input, dryRun: true }, { connection }),
    gcTime: 0,
  });

/** Reads plaintext values; each read is audited. The response goes to `take` only, never into a cache. */
export const useAuditedRead = <C extends Contracts['reveal' | 'export' | 'backup']>(
  contract: C,
  connection: string,
  take: (answer: Result<C>) => void,
) =>
  useMutation({
    mutationFn: async (input: WireInput<C>): Promise<void> => {
      take(await call(contract, input, { connection }));
    },
    onSettled: useRefetch(queryKeys.variableHistory(connection)),
    gcTime: 0,
  });
