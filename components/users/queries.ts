import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { apiTokenContracts, userContracts } from '@/lib/accounts/schema';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';

const REFRESH_MS = 30_000;

export const usersQuery = () =>
  queryOptions({
    queryKey: ['users.list'],
    queryFn: ({ signal }) => call(userContracts.list, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });

export const apiTokensQuery = () =>
  queryOptions({
    queryKey: ['tokens.api.list'],
    queryFn: ({ signal }) => call(apiTokenContracts.list, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** A mutation after which `list` is read anew. */
const useChange = <I, R>(mutationFn: (input: I) => Promise<R>, list: string) => {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries({ queryKey: [list] }) });
};

export const useCreateUser = () =>
  useChange(
    (input: WireInput<typeof userContracts.create>) => call(userContracts.create, input),
    'users.list',
  );

export const useUpdateUser = () =>
  useChange(
    (input: WireInput<typeof userContracts.update>) => call(userContracts.update, input),
    'users.list',
  );

export const useCreateToken = () =>
  useChange(
    (input: WireInput<typeof apiTokenContracts.create>) => call(apiTokenContracts.create, input),
    'tokens.api.list',
  );

export const useRevokeToken = () =>
  useChange(
    (input: WireInput<typeof apiTokenContracts.revoke>) => call(apiTokenContracts.revoke, input),
    'tokens.api.list',
  );
