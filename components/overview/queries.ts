import { queryOptions } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { insightContracts } from '@/lib/insights/schema';

export const overviewQueries = {
  families: (connection: string) =>
    queryOptions({
      queryKey: ['families.list', connection],
      queryFn: ({ signal }) => call(insightContracts.families, {}, { connection, signal }),
      refetchInterval: 30_000,
    }),
};
