import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { call } from '@/lib/api-client';
import { familyTtlContract, hitRateContracts } from '@/lib/caches/hit-rates/schema';
import type { Input } from '@/lib/contract';
import { insightContracts } from '@/lib/insights/schema';

const SAMPLING_MS = 10_000;
const COUNTS_MS = 30_000;

type Sampling = Omit<Input<typeof hitRateContracts.setSampling>, keyof ChangeWords>;
type Sample = Omit<Input<typeof hitRateContracts.sample>, keyof ChangeWords>;

export const hitRateQueries = {
  /** What the live sample does. Only whoever may sample can ask. */
  sampling: (connection: string, enabled: boolean) =>
    queryOptions({
      queryKey: ['caches.sampling.get', connection],
      queryFn: ({ signal }) => call(hitRateContracts.sampling, {}, { connection, signal }),
      refetchInterval: SAMPLING_MS,
      enabled,
    }),

  /** The catalog's families, for those nobody has a figure of. */
  families: (connection: string) =>
    queryOptions({
      queryKey: ['families.list', connection],
      queryFn: ({ signal }) => call(insightContracts.families, {}, { connection, signal }),
      refetchInterval: COUNTS_MS,
    }),

  familyTtl: (connection: string, family: string) =>
    queryOptions({
      queryKey: ['families.ttl', connection, family],
      queryFn: ({ signal }) => call(familyTtlContract, { family }, { connection, signal }),
      refetchInterval: COUNTS_MS,
    }),
};

/** What is in force is read anew, also after a refusal: flags somebody changed meanwhile must be seen. */
const useAfterwards = (connection: string) => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['caches.sampling.get', connection] });
};

export const useSetSampling = (connection: string) => {
  const onSettled = useAfterwards(connection);
  return useMutation({
    mutationFn: ({ settings, words }: { settings: Sampling; words: ChangeWords }) =>
      call(hitRateContracts.setSampling, { ...settings, ...words }, { connection }),
    onSettled,
  });
};

export const useTakeSample = (connection: string) => {
  const onSettled = useAfterwards(connection);
  return useMutation({
    mutationFn: ({ sample, words }: { sample: Sample; words: ChangeWords }) =>
      call(hitRateContracts.sample, { ...sample, ...words }, { connection }),
    onSettled,
  });
};
