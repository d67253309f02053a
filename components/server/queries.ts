import { queryOptions } from '@tanstack/react-query';
import { listQuery } from '@/components/patterns/list-query';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { serverContracts } from '@/lib/server/schema';
import type { SlowFilter } from './address';

const REFETCH_MS = 5000;

export const serverQueries = {
  /** `node`: a primary; '' the first. */
  server: (connection: string, node: string) =>
    queryOptions({
      ...readQuery(serverContracts.get, connection, node ? { node } : {}),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),

  slowLog: (connection: string, filter: SlowFilter) =>
    listQuery(serverContracts.slowLog, { connection, filter, everyMs: REFETCH_MS }),

  latency: (connection: string) =>
    queryOptions({
      ...readQuery(serverContracts.latency, connection, {}),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),
};
