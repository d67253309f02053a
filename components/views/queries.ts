import { queryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { viewContracts } from '@/lib/views/schema';

/** A new pass takes longer than this, and is seen soon after its end. */
const REFETCH_MS = 10_000;

export const topViewsQuery = (connection: string, limit: number) =>
  queryOptions({
    queryKey: queryKeys.views(connection, limit),
    queryFn: ({ signal }) => call(viewContracts.top, { limit }, { connection, signal }),
    placeholderData: keepWithin(queryKeys.views(connection)),
    refetchInterval: refetchEvery(REFETCH_MS),
  });
