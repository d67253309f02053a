import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { JOB_STATES, type Job, type JobState, jobContracts } from '@/lib/jobs/schema';

export interface JobFilter {
  state: string;
  connection: string;
}

const QUICK_MS = 1500;
const SLOW_MS = 10_000;

const isState = (text: string): text is JobState => (JOB_STATES as readonly string[]).includes(text);

const isGoing = (job: Job): boolean => job.finishedAt === null;

/** Jobs newest first; quick while one runs, slow while none does. */
export const jobsQuery = ({ state, connection }: JobFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.jobs(state, connection),
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      call(
        jobContracts.list,
        {
          ...(isState(state) ? { state } : {}),
          ...(connection ? { connection } : {}),
          ...pageAfter(pageParam),
        },
        { signal },
      ),
    ...cursorPages,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.items.some(isGoing)) ? QUICK_MS : SLOW_MS,
  });
