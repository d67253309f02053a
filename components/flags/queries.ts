import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRefetch } from '@/components/patterns/use-refetch';
import { queryKeys } from '@/components/query-keys';
import { shellQueries } from '@/components/shell/queries';
import { call } from '@/lib/api-client';
import type { Result, WireInput } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';
import { listInterval } from './list-interval';

type FlagList = Result<typeof flagContracts.list>;
type Contracts = typeof flagContracts;

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

/** Refetches flags and histories after a change, also a refused one. */
const useAfterwards = (connection: string) =>
  useRefetch(queryKeys.flags(connection), queryKeys.flagHistory(connection));

/** Turns a flag on or off. The response updates the row immediately; a refetch brings the rest. */
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

/** The common part of the responses to a change and to a request. */
interface Made {
  auditId: string;
  undoUntil?: string | null | undefined;
}

/** Response to a decision; only an approval has `state`. */
export interface Decided {
  auditId: string;
  state?: 'applied' | 'scheduled' | 'suspended';
  why?: string | null;
}

/** Creates a flag, or requests it where approval is needed: then the server chooses the format. */
export const useCreateFlag = (connection: string, needsApproval: boolean) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts['create']>): Promise<Made> => {
      const { style: _style, description: _description, ...flag } = input;
      return needsApproval
        ? call(flagContracts.request, { ...flag, action: 'create' }, { connection })
        : call(flagContracts.create, input, { connection });
    },
    onSettled: useAfterwards(connection),
  });

/** Deletes a flag, or requests its deletion where approval is needed. */
export const useDeleteFlag = (connection: string, needsApproval: boolean) =>
  useMutation({
    mutationFn: (input: WireInput<Contracts['delete']>): Promise<Made> =>
      needsApproval
        ? call(flagContracts.request, { ...input, action: 'delete' }, { connection })
        : call(flagContracts.delete, input, { connection }),
    onSettled: useAfterwards(connection),
  });

/** Approves, declines or withdraws a request. */
export const useDecide = (decision: 'approve' | 'decline' | 'withdraw', connection: string) =>
  useMutation({
    mutationFn: (input: { id: string; reason?: string }): Promise<Decided> =>
      call(flagContracts[decision], input, { connection }),
    onSettled: useAfterwards(connection),
  });
