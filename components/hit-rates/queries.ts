import { queryOptions, useMutation } from '@tanstack/react-query';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useReadAnew } from '@/components/patterns/use-read-anew';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { familyTtlContract, hitRateContracts } from '@/lib/caches/hit-rates/schema';
import type { Input } from '@/lib/contract';

const SAMPLING_MS = 10_000;
const COUNTS_MS = 30_000;

type Sampling = Omit<Input<typeof hitRateContracts.setSampling>, keyof ChangeWords>;
type Sample = Omit<Input<typeof hitRateContracts.sample>, keyof ChangeWords>;

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
const useAfterwards = (connection: string) => useReadAnew(queryKeys.sampling(connection));

export const useSetSampling = (connection: string) =>
  useMutation({
    mutationFn: ({ settings, words }: { settings: Sampling; words: ChangeWords }) =>
      call(hitRateContracts.setSampling, { ...settings, ...words }, { connection }),
    onSettled: useAfterwards(connection),
  });

export const useTakeSample = (connection: string) =>
  useMutation({
    mutationFn: ({ sample, words }: { sample: Sample; words: ChangeWords }) =>
      call(hitRateContracts.sample, { ...sample, ...words }, { connection }),
    onSettled: useAfterwards(connection),
  });
