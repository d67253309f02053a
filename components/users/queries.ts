import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { callAll } from '@/lib/api-client';
import { userContracts } from '@/lib/users/schema';

const REFRESH_MS = 30_000;

export const usersQuery = () =>
  queryOptions({
    queryKey: queryKeys.users(),
    queryFn: ({ signal }) => callAll(userContracts.list, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });
