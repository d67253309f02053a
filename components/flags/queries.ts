import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import type { Result, WireInput } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';

type FlagList = Result<typeof flagContracts.list>;

/** Others change flags too: what is shown is not older than this, and comes back by itself after a failure. */
const REFRESH_MS = 5000;

export const flagQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: ['flags.list', connection],
      queryFn: ({ signal }) => call(flagContracts.list, {}, { connection, signal }),
      placeholderData: undefined,
      refetchInterval: REFRESH_MS,
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: ['flags.history', connection, name],
      queryFn: ({ signal }) => call(flagContracts.history, { name }, { connection, signal }),
      placeholderData: undefined,
      refetchInterval: REFRESH_MS,
    }),
};

/** Turns a flag on or off. What the server answered is shown at once, the rest of the row is read anew. */
export const useSetFlag = (connection: string) => {
  const client = useQueryClient();
  const list = flagQueries.list(connection).queryKey;
  return useMutation({
    mutationFn: (input: WireInput<typeof flagContracts.set>) =>
      call(flagContracts.set, input, { connection }),
    onSuccess: ({ name, enabled, raw, etag }) => {
      client.setQueryData(list, (old: FlagList | undefined) =>
        old
          ? {
              ...old,
              items: old.items.map((flag) => (flag.name === name ? { ...flag, enabled, raw, etag } : flag)),
            }
          : old,
      );
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: list });
      void client.invalidateQueries({ queryKey: ['flags.history', connection] });
    },
  });
};

/** Takes a change back; what was changed since is answered as a conflict and left alone. */
export const useTakeBack = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (auditId: string) => call(undoContract, { auditId }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['flags.list', connection] });
      void client.invalidateQueries({ queryKey: ['flags.history', connection] });
    },
  });
};
