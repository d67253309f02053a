import { queryOptions, useMutation } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { useRefetchTouched } from '@/components/patterns/use-command';
import { call } from '@/lib/api-client';
import { familyContracts } from '@/lib/families/schema';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { iso } from '@/lib/time';

const SAMPLING_MS = 10_000;
const COUNTS_MS = 30_000;

export const hitRateQueries = {
  /** The live sample's settings and state; needs the permission to sample. */
  sampling: (connection: string, enabled: boolean) =>
    queryOptions({
      ...readQuery(hitRateContracts.sampling, connection, {}),
      refetchInterval: SAMPLING_MS,
      enabled,
    }),

  /** A range, in epoch ms, compared with the period of the same length before it. */
  change: (connection: string, from: number, to: number) =>
    queryOptions({
      ...readQuery(hitRateContracts.change, connection, { from: iso(from), to: iso(to) }),
      // The end may be now: windows of its last minutes arrive later.
      refetchInterval: COUNTS_MS,
    }),

  familyTtl: (connection: string, family: string) =>
    queryOptions({
      ...readQuery(familyContracts.ttl, connection, { family }),
      refetchInterval: COUNTS_MS,
    }),
};

interface SamplingAnswer {
  connection: string;
  on: boolean;
  /** The exact present flags, where a window has to change them. */
  present: string | undefined;
}

/** Answers for several connections, one after the other; stops at the first that is refused. */
export const useAnswerSampling = () => {
  const refetch = useRefetchTouched();
  return useMutation({
    mutationFn: async (answers: readonly SamplingAnswer[]) => {
      for (const { connection, on, present } of answers) {
        const input = on && present !== undefined ? { on, present } : { on };
        await call(hitRateContracts.setSampling, input, { connection });
      }
    },
    onSettled: (_done, _error, answers) =>
      Promise.all(answers.map(({ connection }) => refetch(hitRateContracts.setSampling, connection))),
  });
};
