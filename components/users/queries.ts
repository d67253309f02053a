import { type QueryKey, queryOptions, useMutation } from '@tanstack/react-query';
import { useRefetch } from '@/components/patterns/use-refetch';
import { queryKeys } from '@/components/query-keys';
import { call, callAll } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { apiTokenContracts, userContracts } from '@/lib/users/schema';

const REFRESH_MS = 30_000;

export const usersQuery = () =>
  queryOptions({
    queryKey: queryKeys.users(),
    queryFn: ({ signal }) => callAll(userContracts.list, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });

export const apiTokensQuery = () =>
  queryOptions({
    queryKey: queryKeys.apiTokens(),
    queryFn: ({ signal }) => callAll(apiTokenContracts.list, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** A mutation that refetches `list` on success. */
const useChange = <I, R>(mutationFn: (input: I) => Promise<R>, list: QueryKey) =>
  useMutation({ mutationFn, onSuccess: useRefetch(list) });

export const useCreateUser = () =>
  useChange(
    (input: WireInput<typeof userContracts.create>) => call(userContracts.create, input),
    queryKeys.users(),
  );

export const useUpdateUser = () =>
  useChange(
    (input: WireInput<typeof userContracts.update>) => call(userContracts.update, input),
    queryKeys.users(),
  );

export const useCreateToken = () =>
  useChange(
    (input: WireInput<typeof apiTokenContracts.create>) => call(apiTokenContracts.create, input),
    queryKeys.apiTokens(),
  );

export const useRevokeToken = () =>
  useChange(
    (input: WireInput<typeof apiTokenContracts.revoke>) => call(apiTokenContracts.revoke, input),
    queryKeys.apiTokens(),
  );
