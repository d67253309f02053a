import { queryOptions, useMutation } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { familyContracts, type InvalidationTarget } from '@/lib/families/schema';
import { useRefetch } from './use-refetch';

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

export const useInvalidate = (connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<typeof familyContracts.invalidate>) =>
      call(familyContracts.invalidate, input, { connection }),
    onSuccess: useRefetch(queryKeys.jobs()),
  });

export const useSetTtl = (connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<typeof familyContracts.setTtl>) =>
      call(familyContracts.setTtl, input, { connection }),
    onSuccess: useRefetch(queryKeys.jobs()),
  });
