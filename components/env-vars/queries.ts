import { queryOptions, useMutation } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { useReadAnew } from '@/components/patterns/use-read-anew';
import { queryKeys } from '@/components/query-keys';
import { call, callAll } from '@/lib/api-client';
import type { Result, WireInput } from '@/lib/contract';
import { envContracts } from '@/lib/env-vars/schema';

/** Others change variables too: what is shown is not older than this. */
const REFRESH_MS = 10_000;
/** Interval of refetches while a walk looks for newer names. */
const NEWER_MS = 1000;

export const envQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.variables(connection),
      queryFn: ({ signal }) => call(envContracts.list, {}, { connection, signal }),
      refetchInterval: ({ state }) =>
        refetchEvery(state.data?.complete === false ? NEWER_MS : REFRESH_MS)({ state }),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: queryKeys.variableHistory(connection, name),
      queryFn: ({ signal }) => call(envContracts.history, { name }, { connection, signal }),
      // A closed drawer keeps nothing: the values of a variable that became secret since are in it.
      gcTime: 0,
    }),

  backups: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.backups(connection),
      queryFn: ({ signal }) => callAll(envContracts.backups, {}, { connection, signal }),
      refetchInterval: refetchEvery(false),
    }),
};

/** What a change may have touched is read anew, also after a refusal. Flags are variables. */
const useAfterwards = (connection: string) =>
  useReadAnew(
    queryKeys.variables(connection),
    queryKeys.variableHistory(connection),
    queryKeys.backups(connection),
    queryKeys.flags(connection),
  );

type Contracts = typeof envContracts;
/** Changes whose answer holds no value of a secret. */
type Change = Contracts['set' | 'create' | 'rename' | 'delete' | 'import' | 'restore'];

/** A change. What was typed for it is not kept beyond the drawer it was typed in: `gcTime` 0. */
export const useChange = <C extends Change>(contract: C, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, input, { connection }),
    onSettled: useAfterwards(connection),
    gcTime: 0,
  });

/** What an import or a restore would do. Nothing is changed. */
export const usePlan = <C extends Contracts['import' | 'restore']>(contract: C, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, { ...input, dryRun: true }, { connection }),
    gcTime: 0,
  });

/**
 * Asks for values in the clear: the answer goes to `take` and nowhere else, so that no cache ever has it.
 * Each asking is on record.
 */
export const useAsk = <C extends Contracts['reveal' | 'export' | 'backup']>(
  contract: C,
  connection: string,
  take: (answer: Result<C>) => void,
) =>
  useMutation({
    mutationFn: async (input: WireInput<C>): Promise<void> => {
      take(await call(contract, input, { connection }));
    },
    onSettled: useReadAnew(queryKeys.variableHistory(connection)),
    gcTime: 0,
  });
