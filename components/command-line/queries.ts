import { queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { commandLineContracts } from '@/lib/command-line/schema';

const SAME_MS = 60_000;

export const commandLineQueries = {
  /** Costs Redis nothing: the console reads the tables of commands once an hour. */
  completion: (connection: string, line: string) =>
    queryOptions({
      ...readQuery(commandLineContracts.complete, connection, { line }),
      placeholderData: keepWithin(queryKeyOf(commandLineContracts.complete, connection)),
      staleTime: SAME_MS,
      // A line may contain values, so it is forgotten soon after it leaves the page.
      gcTime: SAME_MS,
    }),

  history: (connection: string) =>
    queryOptions({
      ...readQuery(commandLineContracts.history, connection, { limit: 200 }),
    }),
};
