import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery, refetchPagesEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { clientContracts } from '@/lib/server/clients/schema';
import { serverContracts } from '@/lib/server/schema';
import type { ClientFilter, CommandFilter, SlowFilter } from './address';

const REFETCH_MS = 5000;
/** Rates are over the time between two of these. */
const COMMANDS_MS = 3000;

export const serverQueries = {
  /** `node`: a primary; '' the first. */
  server: (connection: string, node: string) =>
    queryOptions({
      queryKey: queryKeys.server(connection, node),
      queryFn: ({ signal }) => call(serverContracts.get, node ? { node } : {}, { connection, signal }),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),

  slowLog: (connection: string, filter: SlowFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.slowLog(connection, filter),
      queryFn: ({ pageParam, signal }) =>
        call(serverContracts.slowLog, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.slowLog(connection)),
      refetchInterval: refetchPagesEvery(REFETCH_MS),
    }),

  latency: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.latencyEvents(connection),
      queryFn: ({ signal }) => call(serverContracts.latency, {}, { connection, signal }),
      refetchInterval: refetchEvery(REFETCH_MS),
    }),

  commands: (connection: string, filter: CommandFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.commandStats(connection, filter),
      queryFn: ({ pageParam, signal }) =>
        call(serverContracts.commands, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.commandStats(connection)),
      refetchInterval: refetchPagesEvery(COMMANDS_MS),
    }),

  clients: (connection: string, filter: ClientFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.clients(connection, filter),
      queryFn: ({ pageParam, signal }) =>
        call(clientContracts.list, { ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.clients(connection)),
      refetchInterval: refetchPagesEvery(REFETCH_MS),
    }),
};
