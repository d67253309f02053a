import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { call, callAll } from '@/lib/api-client';
import { flagContracts } from '@/lib/flags/schema';
import { insightContracts } from '@/lib/insights/schema';
import { jobContracts } from '@/lib/jobs/schema';

const CALM_MS = 5_000;
/** A page notices within a few seconds that Redis is back. */
const TROUBLED_MS = 2_000;

/** What the frame around every page asks for. Pages use the same queries, so that nothing is asked twice. */
export const shellQueries = {
  connections: () =>
    queryOptions({
      queryKey: queryKeys.connections(),
      queryFn: ({ signal }) => callAll(insightContracts.connections, {}, { signal }),
      refetchInterval: (query) =>
        query.state.data?.items.every((item) => item.status === 'ready') ? CALM_MS : TROUBLED_MS,
    }),

  overview: (connection: string | null) =>
    queryOptions({
      queryKey: queryKeys.overview(connection),
      queryFn: ({ signal }) => call(insightContracts.overview, {}, { connection: connection ?? '', signal }),
      enabled: connection !== null,
      // The next attempt is the retry: it comes sooner than the growing delays of retries.
      retry: false,
      refetchInterval: (query) => (query.state.status === 'error' ? TROUBLED_MS : CALM_MS),
    }),

  /** Quick while something runs, slow while nothing does. */
  runningJobs: () =>
    queryOptions({
      queryKey: queryKeys.runningJobs(),
      queryFn: async ({ signal }) => {
        const states = ['running', 'queued'] as const;
        const pages = await Promise.all(
          states.map((state) => call(jobContracts.list, { state, limit: 20 }, { signal })),
        );
        return pages.flatMap((page) => page.items);
      },
      refetchInterval: (query) => (query.state.data?.length ? 2_000 : 10_000),
    }),

  flags: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.flags(connection),
      queryFn: ({ signal }) => callAll(flagContracts.list, {}, { connection, signal }),
    }),
};
