import { queryOptions } from '@tanstack/react-query';
import { expositionContracts } from '@/lib/exposition/schema';
import { readAllQuery } from './read-query';

const REFRESH_MS = 15_000;

/** The figures of a Redis with their newest values. */
export const figuresQuery = (connection: string) =>
  queryOptions({
    ...readAllQuery(expositionContracts.figures, connection),
    refetchInterval: REFRESH_MS,
  });
