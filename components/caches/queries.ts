import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { cacheContracts, type InvalidationTarget } from '@/lib/caches/schema';
import type { WireInput } from '@/lib/contract';
import { insightContracts } from '@/lib/insights/schema';

const COUNTS_MS = 15_000;

/** The families with the sampler's last count. */
export const familiesQuery = (connection: string) =>
  queryOptions({
    queryKey: ['families.list', connection],
    queryFn: ({ signal }) => call(insightContracts.families, {}, { connection, signal }),
    refetchInterval: COUNTS_MS,
  });

/** What an invalidation would delete now. Counting takes the server up to 2 s; `null` asks nothing. */
export const previewQuery = (connection: string, target: InvalidationTarget | null) =>
  queryOptions({
    queryKey: ['caches.preview', connection, target],
    queryFn: ({ signal }) => call(cacheContracts.preview, target ?? {}, { connection, signal }),
    enabled: target !== null,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const useInvalidate = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: WireInput<typeof cacheContracts.invalidate>) =>
      call(cacheContracts.invalidate, input, { connection }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['jobs.list'] }),
  });
};

export const useSetTtl = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: WireInput<typeof cacheContracts.setTtl>) =>
      call(cacheContracts.setTtl, input, { connection }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['jobs.list'] }),
  });
};
