'use client';

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { queryKeys } from '@/components/query-keys';
import { call, urlOf } from '@/lib/api-client';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { useReadAnew } from './use-read-anew';

const POLL_MS = 1500;
/** While the stream tells of every step, asking is only for the case that it falls silent. */
const POLL_BESIDE_STREAM_MS = 10_000;

const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: queryKeys.job(jobId),
    queryFn: ({ signal }) => call(jobContracts.get, { jobId }, { signal }),
  });

export const isFinished = (job: Job): boolean => job.finishedAt !== null;

/** One job as it goes: by its stream, and by asking while there is none. Stops when the job is over. */
export const useJob = (jobId: string) => {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...jobQuery(jobId),
    refetchInterval: ({ state }) => {
      if (state.data && isFinished(state.data)) return false;
      return streaming ? POLL_BESIDE_STREAM_MS : POLL_MS;
    },
  });
  const going = query.data !== undefined && !isFinished(query.data);
  useEffect(() => {
    if (!going) return;
    const source = new EventSource(urlOf(jobContracts.stream, { jobId }));
    const onProgress = (event: MessageEvent<string>) => {
      setStreaming(true);
      client.setQueryData(jobQuery(jobId).queryKey, JSON.parse(event.data) as Job);
    };
    const stop = () => {
      setStreaming(false);
      source.close();
    };
    source.addEventListener('progress', onProgress);
    source.addEventListener('end', stop);
    source.onerror = stop;
    return stop;
  }, [client, jobId, going]);

  // What the work changed is counted anew, and other pages list it as over.
  const wasGoing = useRef(false);
  useEffect(() => {
    if (wasGoing.current && !going)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.job()[0] });
    wasGoing.current = going;
  }, [client, going]);
  return query;
};

/** Asks for a job's end. What was done stays done. */
export const useCancelJob = (jobId: string) =>
  useMutation({
    mutationFn: () => call(jobContracts.cancel, { jobId }),
    onSettled: useReadAnew(queryKeys.job(jobId)),
  });
