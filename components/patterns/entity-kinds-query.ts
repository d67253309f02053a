import { queryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { entityContracts } from '@/lib/entities/schema';
import { readAllQuery } from './read-query';

/** The entity kinds of a connection's catalog, which change only with its configuration. */
export const entityKindsQuery = (connection: string) =>
  queryOptions({
    ...readAllQuery(entityContracts.kinds, connection),
    staleTime: 60_000,
    refetchInterval: refetchEvery(false),
  });
