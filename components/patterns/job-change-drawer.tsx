'use client';

import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { ChangeDrawer, type ChangeDrawerProps, type ChangeWords } from './change-drawer';
import { confirmationAsked } from './confirmation-asked';
import { DuplicateJobAlert } from './duplicate-job-alert';
import { JobProgress } from './job-progress';
import { ProblemAlert } from './problem-alert';
import type { Command } from './use-command';
import { isFinished, useJob } from './use-job';

/** The job that counts before the change can be confirmed. */
export interface DryRun<Counted> {
  /** The result of its job; null for others. */
  resultOf: (result: unknown) => Counted | null;
  /** The button while it runs. Before, it is the drawer's `verb`. */
  running: string;
  /** The button of the change. */
  verb: (counted: Counted) => string;
  /** How many the change would affect. */
  count: (counted: Counted) => number;
  children: (counted: Counted) => ReactNode;
}

interface JobChangeProps<Input, Answer, Counted>
  extends Omit<ChangeDrawerProps, 'operation' | 'pending' | 'error' | 'onSubmit' | 'children'> {
  change: Command<Answer, Input>;
  /** Null while it is incomplete. A dry run is valid for this input only. */
  input: Input | null;
  dryRun?: DryRun<Counted>;
  /** The fields; a function of what the dry run counted where they show it. */
  children: ReactNode | ((counted: Counted | null) => ReactNode);
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

interface Run<Counted> {
  /** The counted input, as JSON. */
  of: string;
  jobId: string;
  counted: Counted | null;
  failed: boolean;
}

/** A change that runs as a job: counted by a dry run first where one is declared. */
export const JobChangeDrawer = <Input extends ChangeWords, Answer extends { jobId: string }, Counted = never>(
  props: JobChangeProps<Input, Answer, Counted>,
) => {
  const { change, input, dryRun, onJob, onClose, children, ...drawer } = props;
  const of = JSON.stringify(input);
  const [last, setLast] = useState<Run<Counted> | null>(null);
  const run = last?.of === of ? last : null;
  const counted = run?.counted ?? null;
  const isDry = dryRun !== undefined && counted === null;
  const isCounting = run !== null && counted === null && !run.failed;
  const isNothing = dryRun !== undefined && counted !== null && dryRun.count(counted) === 0;
  const verb = () => {
    if (!dryRun || (counted === null && !isCounting)) return drawer.verb;
    return counted === null ? dryRun.running : dryRun.verb(counted);
  };
  const leave = (to: () => void) => {
    change.reset();
    setLast(null);
    to();
  };
  const watch = (jobId: string) => leave(() => onJob(jobId));
  const submit = (words: ChangeWords) =>
    input !== null &&
    change.mutate(
      { ...input, ...words, ...(dryRun && { dryRun: isDry }) },
      {
        onSuccess: ({ jobId }) =>
          isDry ? setLast({ of, jobId, counted: null, failed: false }) : watch(jobId),
      },
    );
  return (
    <ChangeDrawer
      {...drawer}
      operation={change.operation}
      verb={verb()}
      destructive={drawer.destructive === true && !isDry}
      needsConfirmation={!isDry}
      confirm={isDry ? null : confirmationAsked(change.error)}
      blocked={drawer.blocked || isCounting || isNothing}
      onClose={() => leave(onClose)}
      pending={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <Stack gap="md">
        {typeof children === 'function' ? children(counted) : children}
        {run && dryRun && (
          <Counting
            key={run.jobId}
            jobId={run.jobId}
            {...dryRun}
            onOver={(result) => setLast({ ...run, counted: result, failed: result === null })}
          />
        )}
        <DuplicateJobAlert error={change.error} onJob={watch} />
      </Stack>
    </ChangeDrawer>
  );
};

interface CountingProps<Counted> extends Pick<DryRun<Counted>, 'resultOf' | 'children'> {
  jobId: string;
  /** Called with the counts; null if the job failed or was cancelled. */
  onOver: (counted: Counted | null) => void;
}

/** Progress of a dry run, then its counts. */
const Counting = <Counted,>({ jobId, resultOf, children, onOver }: CountingProps<Counted>) => {
  const { data: job, error, refetch } = useJob(jobId);
  const counted = job?.state === 'done' ? resultOf(job.result) : null;
  const report = useEffectEvent(() => onOver(counted));
  const isOver = job !== undefined && isFinished(job);
  useEffect(() => {
    if (isOver) report();
  }, [isOver]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (counted !== null) return children(counted);
  return job ? <JobProgress job={job} /> : null;
};
