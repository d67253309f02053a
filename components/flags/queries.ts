import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import type { Result, WireInput } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';
import { nextLook } from './next-look';

type FlagList = Result<typeof flagContracts.list>;
type Contracts = typeof flagContracts;
type ChangeId = Exclude<keyof Contracts, 'list' | 'history'>;

const REFRESH_MS = 5000;

export const flagQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: ['flags.list', connection],
      queryFn: ({ signal }) => call(flagContracts.list, {}, { connection, signal }),
      refetchInterval: ({ state }) => nextLook(state.data, Date.now()),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: ['flags.history', connection, name],
      queryFn: ({ signal }) => call(flagContracts.history, { name }, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),
};

/** After any change, made or refused, flags and histories are read anew. */
const useReadAnew = (connection: string) => {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: flagQueries.list(connection).queryKey }),
      client.invalidateQueries({ queryKey: ['flags.history', connection] }),
    ]);
};

/** One change of a flag: `useFlagChange('schedule', id)`. */
export const useFlagChange = <Id extends ChangeId>(change: Id, connection: string) => {
  const readAnew = useReadAnew(connection);
  return useMutation({
    mutationFn: (input: WireInput<Contracts[Id]>) =>
      call<Contracts[Id]>(flagContracts[change], input, { connection }),
    onSettled: () => void readAnew(),
  });
};

/** Turns a flag on or off. What the server answered is shown at once, the rest of the row is read anew. */
export const useSetFlag = (connection: string) => {
  const client = useQueryClient();
  const readAnew = useReadAnew(connection);
  return useMutation({
    mutationFn: (input: WireInput<Contracts['set']>) => call(flagContracts.set, input, { connection }),
    onSuccess: ({ name, enabled, raw, etag }) => {
      client.setQueryData(flagQueries.list(connection).queryKey, (old: FlagList | undefined) =>
        old
          ? {
              ...old,
              items: old.items.map((flag) => (flag.name === name ? { ...flag, enabled, raw, etag } : flag)),
            }
          : old,
      );
    },
    onSettled: () => void readAnew(),
  });
};

/** Takes a change back; what was changed since is answered as a conflict and left alone. */
export const useTakeBack = (connection: string) => {
  const readAnew = useReadAnew(connection);
  return useMutation({
    mutationFn: (auditId: string) => call(undoContract, { auditId }),
    onSettled: () => void readAnew(),
  });
};
