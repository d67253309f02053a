import { queryOptions, useMutation } from '@tanstack/react-query';
import { useReadAnew } from '@/components/patterns/use-read-anew';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { familyTtlContract, hitRateContracts } from '@/lib/caches/hit-rates/schema';
import type { WireInput } from '@/lib/contract';

const SAMPLING_MS = 10_000;
const COUNTS_MS = 30_000;

export const hitRateQueries = {
  /** What the live sample does. Only whoever may sample can ask. */
  sampling: (connection: string, enabled: boolean) =>
    queryOptions({
      queryKey: queryKeys.sampling(connection),
      queryFn: ({ signal }) => call(hitRateContracts.sampling, {}, { connection, signal }),
      refetchInterval: SAMPLING_MS,
      enabled,
    }),

  familyTtl: (connection: string, family: string) =>
    queryOptions({
      queryKey: queryKeys.familyTtl(connection, family),
      queryFn: ({ signal }) => call(familyTtlContract, { family }, { connection, signal }),
      refetchInterval: COUNTS_MS,
    }),
};

/** What is in force is read anew, also after a refusal: flags somebody changed meanwhile must be seen. */
const useChange = <C extends typeof hitRateContracts.setSampling | typeof hitRateContracts.sample>(
  contract: C,
  connection: string,
) =>
  useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, input, { connection }),
    onSettled: useReadAnew(queryKeys.sampling(connection)),
  });

export const useSetSampling = (connection: string) => useChange(hitRateContracts.setSampling, connection);
export const useTakeSample = (connection: string) => useChange(hitRateContracts.sample, connection);
