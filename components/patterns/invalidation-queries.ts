import { queryOptions } from '@tanstack/react-query';
import { familyContracts, type InvalidationTarget } from '@/lib/families/schema';
import { readQuery } from './read-query';

/** What an invalidation would delete now. Counting takes the server up to 2 s; `null` sends no query. */
export const previewQuery = (connection: string, target: InvalidationTarget | null) =>
  queryOptions({
    ...readQuery(familyContracts.preview, connection, target ?? {}),
    enabled: target !== null,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
