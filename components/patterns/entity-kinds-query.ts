import { queryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { queryKeys } from '@/components/query-keys';
import { callAll } from '@/lib/api-client';
import { entityContracts } from '@/lib/entities/schema';

/** The entity kinds of a connection's catalog, which change only with its configuration. */
export const entityKindsQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.entityKinds(connection),
    queryFn: ({ signal }) => callAll(entityContracts.kinds, {}, { connection, signal }),
    staleTime: 60_000,
    refetchInterval: refetchEvery(false),
  });
