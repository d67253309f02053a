import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { callAll } from '@/lib/api-client';
import { expositionContracts } from '@/lib/exposition/schema';

const REFRESH_MS = 15_000;

/** The figures of a Redis with their newest values. */
export const figuresQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.figures(connection),
    queryFn: ({ signal }) => callAll(expositionContracts.figures, {}, { connection, signal }),
    refetchInterval: REFRESH_MS,
  });
