import { queryOptions } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { catalogContracts } from '@/lib/catalog/schema';

/** A file is read again within a second, and the keyspace counted again soon after. */
const RELOAD_MS = 5000;

export const catalogQuery = (connection: string) =>
  queryOptions({
    ...readQuery(catalogContracts.get, connection, {}),
    refetchInterval: RELOAD_MS,
  });
