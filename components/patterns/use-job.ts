'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { readQuery } from './read-query';

const POLL_MS = 1000;

export const isFinished = (job: Job): boolean => job.finishedAt !== null;

/**
 * One job and its progress, polled until it is finished. Not streamed: a browser has six connections to a host for all
 * its tabs, and a stream would occupy one. `isNew`: a job that was just requested, which may end before it is first
 * read.
 */
export const useJob = (jobId: string, { isNew = false } = {}) => {
  const client = useQueryClient();
  const query = useQuery({
    ...readQuery(jobContracts.get, null, { jobId }),
    refetchInterval: ({ state }) => (state.data && isFinished(state.data) ? false : POLL_MS),
  });
  const over = query.data && isFinished(query.data);
  // Refetches what the job changed, including lists that show it as running.
  const wasRunning = useRef(isNew);
  useEffect(() => {
    if (wasRunning.current && over)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== jobContracts.get.id });
    if (over !== undefined) wasRunning.current = !over;
  }, [client, over]);
  return query;
};
