import { queryOptions, useMutation } from '@tanstack/react-query';
import { useRefetch } from '@/components/patterns/use-refetch';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { catalogContracts } from '@/lib/catalog/schema';
import type { WireInput } from '@/lib/contract';

/** A file is read again within a second, and the keyspace counted again soon after. */
const RELOAD_MS = 5000;

export const catalogQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeys.catalog(connection),
    queryFn: ({ signal }) => call(catalogContracts.get, {}, { connection, signal }),
    refetchInterval: RELOAD_MS,
  });

export const useInfer = (connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<typeof catalogContracts.infer>) =>
      call(catalogContracts.infer, input, { connection }),
    onSuccess: useRefetch(queryKeys.jobs()),
  });
