import { queryOptions } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { jobContracts } from '@/lib/jobs/schema';
import { profilerContracts } from '@/lib/profiler/schema';

const ESTIMATE_MS = 10_000;
const MAX_RUNS = 10;

export const profilerQueries = {
  estimate: (connection: string) =>
    queryOptions({
      ...readQuery(profilerContracts.estimate, connection, {}),
      refetchInterval: ESTIMATE_MS,
    }),

  /** The newest profiles, running ones too. */
  runs: (connection: string) =>
    readQuery(jobContracts.list, null, { connection, action: profilerContracts.start.id, limit: MAX_RUNS }),
};
