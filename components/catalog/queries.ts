import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { catalogContracts } from '@/lib/catalog/schema';

/** A file is read again within a second, and the keyspace counted again soon after. */
const RELOAD_MS = 5000;

export const catalogQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.catalog(connection),
    queryFn: ({ signal }) => call(catalogContracts.get, {}, { connection, signal }),
    refetchInterval: RELOAD_MS,
  });
