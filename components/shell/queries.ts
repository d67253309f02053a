import { queryOptions } from '@tanstack/react-query';
import { queryKeyOf } from '@/components/patterns/query-key';
import { readAllQuery, readQuery } from '@/components/patterns/read-query';
import { call } from '@/lib/api-client';
import { connectionContracts } from '@/lib/connections/schema';
import { flagContracts } from '@/lib/flags/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { overviewContracts } from '@/lib/overview/schema';

/** Every page reports an outage within five seconds. */
const STATUS_MS = 3_000;
const OVERVIEW_MS = 5_000;
/** During an outage, so that pages notice its end. */
const OUTAGE_MS = 2_000;

/** The queries of the shell around every page. Pages use the same ones, so nothing is requested twice. */
export const shellQueries = {
  connections: () =>
    queryOptions({
      ...readAllQuery(connectionContracts.list, null),
      // A failure is reported immediately; the next request is the retry.
      retry: false,
      refetchInterval: ({ state }) =>
        state.status === 'success' && state.data?.items.every((item) => item.status === 'ready')
          ? STATUS_MS
          : OUTAGE_MS,
    }),

  overview: (connection: string | null) =>
    queryOptions({
      ...readQuery(overviewContracts.get, connection, {}),
      enabled: connection !== null,
      // The next request is the retry, sooner than the growing delays of retries.
      retry: false,
      refetchInterval: (query) => (query.state.status === 'error' ? OUTAGE_MS : OVERVIEW_MS),
    }),

  /** Polled quickly while a job runs. */
  runningJobs: () =>
    queryOptions({
      queryKey: queryKeyOf(jobContracts.list, null, { running: true }),
      queryFn: async ({ signal }) => {
        const states = ['running', 'queued'] as const;
        const pages = await Promise.all(
          states.map((state) => call(jobContracts.list, { state, limit: 20 }, { signal })),
        );
        return pages.flatMap((page) => page.items);
      },
      retry: false,
      refetchInterval: ({ state }) => (state.status === 'error' || state.data?.length ? 2_000 : 10_000),
    }),

  flags: (connection: string) =>
    queryOptions({
      ...readAllQuery(flagContracts.list, connection),
    }),
};
