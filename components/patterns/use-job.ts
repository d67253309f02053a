'use client';

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { useRefetch } from './use-refetch';

const POLL_MS = 1000;

const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: queryKeys.job(jobId),
    queryFn: ({ signal }) => call(jobContracts.get, { jobId }, { signal }),
  });

export const isFinished = (job: Job): boolean => job.finishedAt !== null;

/**
 * One job and its progress, polled until it is finished. Not streamed: a browser has six connections to a host for all
 * its tabs, and a stream would occupy one. `isNew`: a job that was just requested, which may end before it is first
 * read.
 */
export const useJob = (jobId: string, { isNew = false } = {}) => {
  const client = useQueryClient();
  const query = useQuery({
    ...jobQuery(jobId),
    refetchInterval: ({ state }) => (state.data && isFinished(state.data) ? false : POLL_MS),
  });
  const over = query.data && isFinished(query.data);
  // Refetches what the job changed, including lists that show it as running.
  const wasRunning = useRef(isNew);
  useEffect(() => {
    if (wasRunning.current && over)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.job()[0] });
    if (over !== undefined) wasRunning.current = !over;
  }, [client, over]);
  return query;
};

/** Cancels a job. What it has done so far is not undone. */
export const useCancelJob = (jobId: string) =>
  useMutation({
    mutationFn: () => call(jobContracts.cancel, { jobId }),
    onSettled: useRefetch(queryKeys.job(jobId)),
  });

/** Sets a job's pace: faster, or the default. */
export const useSetPace = (jobId: string) =>
  useMutation({
    mutationFn: (pace: Job['pace']) => call(jobContracts.setPace, { jobId, pace }),
    onSettled: useRefetch(queryKeys.job(jobId)),
  });
