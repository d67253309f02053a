import { queryOptions } from '@tanstack/react-query';
import { listQuery } from '@/components/patterns/list-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { serverContracts } from '@/lib/server/schema';
import type { SlowFilter } from './address';

const REFETCH_MS = 5000;

export const serverQueries = {
  /** `node`: a primary; '' the first. */
  server: (connection: string, node: string) =>
    queryOptions({
      queryKey: queryKeys.server(connection, node),
      queryFn: ({ signal }) => call(serverContracts.get, node ? { node } : {}, { connection, signal }),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),

  slowLog: (connection: string, filter: SlowFilter) =>
    listQuery(serverContracts.slowLog, { connection, filter, everyMs: REFETCH_MS }),

  latency: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.latencyEvents(connection),
      queryFn: ({ signal }) => call(serverContracts.latency, {}, { connection, signal }),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),
};
