import { queryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { nodeContracts } from '@/lib/nodes/schema';

const REFETCH_MS = 5000;

export const nodeQueries = {
  list: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.nodes(connection),
      queryFn: ({ signal }) => call(nodeContracts.list, {}, { connection, signal }),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),
};
