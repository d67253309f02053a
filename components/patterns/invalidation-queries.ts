import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { familyContracts, type InvalidationTarget } from '@/lib/families/schema';

/** What an invalidation would delete now. Counting takes the server up to 2 s; `null` sends no query. */
export const previewQuery = (connection: string, target: InvalidationTarget | null) =>
  queryOptions({
    queryKey: queryKeys.familyPreview(connection, target),
    queryFn: ({ signal }) => call(familyContracts.preview, target ?? {}, { connection, signal }),
    enabled: target !== null,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
