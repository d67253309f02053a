import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { entityContracts } from '@/lib/entities/schema';

/** The kinds of entity that a connection's catalog has: they change with its configuration only. */
export const entityKindsQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.entityKinds(connection),
    queryFn: async ({ signal }) => (await call(entityContracts.kinds, {}, { connection, signal })).items,
    staleTime: 60_000,
  });
