import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { callAll } from '@/lib/api-client';
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
