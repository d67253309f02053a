import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useReadAnew } from '@/components/patterns/use-read-anew';
import { queryKeys } from '@/components/query-keys';
import { shellQueries } from '@/components/shell/queries';
import { call } from '@/lib/api-client';
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
      ...shellQueries.flags(connection),
      refetchInterval: ({ state }) => nextLook(state.data, Date.now()),
    }),

  history: (connection: string, name: string) =>
    queryOptions({
      queryKey: queryKeys.flagHistory(connection, name),
      queryFn: ({ signal }) => call(flagContracts.history, { name }, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),
};

/** After any change, made or refused, flags and histories are read anew. */
const useAfterwards = (connection: string) =>
  useReadAnew(queryKeys.flags(connection), queryKeys.flagHistory(connection));

/** One change of a flag: `useFlagChange('schedule', id)`. */
export const useFlagChange = <Id extends ChangeId>(change: Id, connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts[Id]>) =>
      call<Contracts[Id]>(flagContracts[change], input, { connection }),
    onSettled: useAfterwards(connection),
  });

/** Turns a flag on or off. What the server answered is shown at once, the rest of the row is read anew. */
export const useSetFlag = (connection: string) => {
  const client = useQueryClient();
  const onSettled = useAfterwards(connection);
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
    onSettled,
  });
};

/** What both a change and a request for it answer. */
interface Made {
  auditId: string;
  undoUntil?: string | null | undefined;
}

/** What the three decisions about a request answer; an approval says what became of the change. */
export interface Decided {
  auditId: string;
  state?: 'applied' | 'scheduled' | 'suspended';
  why?: string | null;
}

/** Creates a flag, or asks for it where two people are needed: then the style is the majority's. */
export const useCreateFlag = (connection: string, asking: boolean) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts['create']>): Promise<Made> => {
      const { style: _style, description: _description, ...wanted } = input;
      return asking
        ? call(flagContracts.request, { ...wanted, action: 'create' }, { connection })
        : call(flagContracts.create, input, { connection });
    },
    onSettled: useAfterwards(connection),
  });

/** Deletes a flag, or asks for it where two people are needed. */
export const useDeleteFlag = (connection: string, asking: boolean) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts['delete']>): Promise<Made> =>
      asking
        ? call(flagContracts.request, { ...input, action: 'delete' }, { connection })
        : call(flagContracts.delete, input, { connection }),
    onSettled: useAfterwards(connection),
  });

/** Decides about a request. */
export const useDecide = (decision: 'approve' | 'decline' | 'withdraw', connection: string) =>
  useMutation({
    mutationFn: (input: { id: string; reason?: string }): Promise<Decided> =>
      call(flagContracts[decision], input, { connection }),
    onSettled: useAfterwards(connection),
  });
