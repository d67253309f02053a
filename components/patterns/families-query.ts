import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { callAll } from '@/lib/api-client';
import { familyContracts } from '@/lib/families/schema';

const COUNTS_MS = 15_000;

/** The catalog's families with the sampler's last count. */
export const familiesQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.families(connection),
    queryFn: ({ signal }) => callAll(familyContracts.list, {}, { connection, signal }),
    refetchInterval: COUNTS_MS,
  });
