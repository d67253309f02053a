import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { JOB_STATES, type Job, type JobState, jobContracts } from '@/lib/jobs/schema';

export interface JobFilter {
  state: string;
  connection: string;
}

const RUNNING_MS = 1500;
const IDLE_MS = 10_000;

const isState = (text: string): text is JobState => (JOB_STATES as readonly string[]).includes(text);

const isRunning = (job: Job): boolean => job.finishedAt === null;

/** Jobs, newest first; refetched faster while one runs. */
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
      data?.pages.some((page) => page.items.some(isRunning)) ? RUNNING_MS : IDLE_MS,
  });
