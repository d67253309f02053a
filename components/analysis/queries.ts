import { queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { analysisContracts } from '@/lib/analysis/schema';
import { call } from '@/lib/api-client';
import { jobContracts } from '@/lib/jobs/schema';

/** Scheduled analyses, and those of others, appear within this time. */
const REFETCH_MS = 10_000;
/** Reports that can be chosen and compared. */
const MAX_REPORTS = 100;

export const analysisQueries = {
  list: (connection: string) =>
    queryOptions({
      ...readQuery(analysisContracts.list, connection, { limit: MAX_REPORTS }),
      select: ({ items }) => items,
      refetchInterval: refetchEvery(REFETCH_MS),
    }),

  /** One report: it never changes. */
  report: (connection: string, id: string, since: string) =>
    queryOptions({
      ...readQuery(analysisContracts.get, connection, { id, ...(since && { since }) }),
      enabled: id !== '',
      placeholderData: keepWithin(queryKeyOf(analysisContracts.get, connection)),
      staleTime: 300_000,
      refetchInterval: refetchEvery(false),
    }),

  schedule: (connection: string) =>
    queryOptions({
      ...readQuery(analysisContracts.scheduleGet, connection, {}),
      refetchInterval: refetchEvery(false),
    }),

  /** The analysis that is queued or running, as far as the user may see jobs. */
  running: (connection: string) =>
    queryOptions({
      queryKey: queryKeyOf(jobContracts.list, null, { connection, analysing: true }),
      queryFn: async ({ signal }) => {
        const { items } = await call(jobContracts.list, { connection, limit: 200 }, { signal });
        const job = items.find((each) => each.action === analysisContracts.start.id && !each.finishedAt);
        return job?.jobId ?? null;
      },
      refetchInterval: refetchEvery(REFETCH_MS),
    }),
};
