import { queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { commandLineContracts } from '@/lib/command-line/schema';
import type { WireInput } from '@/lib/contract';

const SAME_MS = 60_000;

export const commandLineQueries = {
  /** Nothing is asked of Redis: the tables of commands are read once an hour. */
  completion: (connection: string, line: string) =>
    queryOptions({
      queryKey: queryKeys.completion(connection, line),
      queryFn: ({ signal }) => call(commandLineContracts.complete, { line }, { connection, signal }),
      placeholderData: keepWithin(queryKeys.completion(connection)),
      staleTime: SAME_MS,
      // A line may contain values: it is not kept once it is gone from the page.
      gcTime: SAME_MS,
    }),

  history: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.commandHistory(connection),
      queryFn: ({ signal }) => call(commandLineContracts.history, { limit: 200 }, { connection, signal }),
    }),
};

export type RunInput = WireInput<typeof commandLineContracts.run>;
