import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import type { Result, WireInput } from '@/lib/contract';
import { envContracts } from '@/lib/env-vars/schema';

/** Others change variables too: what is shown is not older than this. */
const REFRESH_MS = 10_000;
/** After a failure the page recovers by itself within 5 s. */
const AGAIN_MS = 3000;

export const envQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: ['env.list', connection],
      queryFn: ({ signal }) => call(envContracts.list, {}, { connection, signal }),
      refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : REFRESH_MS),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: ['env.history', connection, name],
      queryFn: ({ signal }) => call(envContracts.history, { name }, { connection, signal }),
      // A closed drawer keeps nothing: the values of a variable that became secret since are in it.
      gcTime: 0,
    }),

  backups: (connection: string) =>
    queryOptions({
      queryKey: ['env.backups.list', connection],
      queryFn: ({ signal }) => call(envContracts.backups, { limit: 100 }, { connection, signal }),
      refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
    }),
};

/** What a change may have touched is read anew, also after a refusal. Flags are variables. */
const useReadAnew = (connection: string) => {
  const client = useQueryClient();
  return () => {
    for (const id of ['env.list', 'env.history', 'env.backups.list', 'flags.list'])
      void client.invalidateQueries({ queryKey: [id, connection] });
  };
};

type Contracts = typeof envContracts;
/** Changes whose answer holds no value of a secret. */
type Change = Contracts['set' | 'create' | 'rename' | 'delete' | 'import' | 'restore'];

/** A change. What was typed for it is not kept beyond the drawer it was typed in: `gcTime` 0. */
export const useChange = <C extends Change>(contract: C, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, input, { connection }),
    onSettled: useReadAnew(connection),
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
) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: WireInput<C>): Promise<void> => {
      take(await call(contract, input, { connection }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['env.history', connection] }),
    gcTime: 0,
  });
};

/** Takes a change back; what was changed since is answered as a conflict and left alone. */
export const useTakeBack = (connection: string) =>
  useMutation({
    mutationFn: (auditId: string) => call(undoContract, { auditId }),
    onSettled: useReadAnew(connection),
  });
