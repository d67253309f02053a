'use client';

import { Progress, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import {
  type AddressDrawerProps,
  declareList,
  type ListPartProps,
} from '@/components/contract-list/declare-list';
import { OpensRow } from '@/components/contract-list/opens-row';
import { perSecondColumn } from '@/components/data-table/column-kinds';
import { useActionWords } from '@/components/patterns/action-words';
import { ConnectionSelect } from '@/components/patterns/filter-select';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { jobRate, useJobFigures } from '@/components/patterns/job-progress';
import { useJobResult } from '@/components/patterns/job-result';
import { JobStateBadge } from '@/components/patterns/job-state';
import { RelativeTime } from '@/components/patterns/relative-time';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { TargetText } from '@/components/patterns/target-text';
import { secondsTaken, useTook } from '@/components/patterns/use-took';
import { JOB_STATES, type Job, jobContracts } from '@/lib/jobs/schema';
import { visibleText } from '@/lib/visible-text';

const RUNNING_MS = 1500;
const IDLE_MS = 10_000;

const ActionCell = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs');
  const action = useActionWords()(job.action);
  return (
    <OpensRow row={job} label={t('open', { action, target: visibleText(job.target ?? '—') })}>
      {action}
    </OpensRow>
  );
};

const ProgressCell = ({ job }: { job: Job }) => (
  <>
    <Text size="xs">{useJobFigures()(job)}</Text>
    <Progress value={job.progress * 100} size={4} aria-hidden />
  </>
);

/** Leaves abbreviations such as "TTL" as they are. */
const lowered = (label: string): string =>
  label.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());

/** The others are in the drawer. */
const FIGURES_SHOWN = 3;

const ResultCell = ({ job }: { job: Job }) => {
  const figures = useJobResult()(job).filter(({ value }) => value !== '0');
  if (job.error) return <ServerSentence max={120}>{job.error}</ServerSentence>;
  const shown = figures.slice(0, FIGURES_SHOWN).map(({ label, value }) => `${lowered(label)} ${value}`);
  return shown.join(' · ') || '—';
};

const Took = ({ job }: { job: Job }) => useTook()(job);

const OfConnection = ({ url, onChange }: ListPartProps) => (
  <ConnectionSelect value={url.connection ?? ''} onChange={(connection) => onChange({ connection })} />
);

const OpenedJob = ({ id, onClose }: AddressDrawerProps) => <JobDrawer jobId={id || null} onClose={onClose} />;

/** Jobs, newest first. */
export const JOBS = declareList({
  contract: jobContracts.list,
  texts: 'jobs',
  name: 'jobs',
  icon: IconListDetails,
  rowId: ({ jobId }) => jobId,
  rowName: ({ target }) => target ?? '—',
  everyMs: (pages) =>
    pages.some(({ items }) => items.some(({ finishedAt }) => finishedAt === null)) ? RUNNING_MS : IDLE_MS,
  facets: { names: ['connection'], of: OfConnection, inBar: true },
  selects: { state: JOB_STATES },
  columns: [
    {
      id: 'state',
      width: 105,
      pinned: true,
      cell: (job) => <JobStateBadge job={job} />,
    },
    {
      id: 'action',
      width: 125,
      pinned: true,
      card: 'title',
      cell: (job) => <ActionCell job={job} />,
    },
    {
      id: 'target',
      width: 180,
      cell: ({ target }) => <TargetText max={80}>{target}</TargetText>,
    },
    { id: 'progress', width: 125, cell: (job) => <ProgressCell job={job} />, value: ({ done }) => done },
    perSecondColumn<Job>({ id: 'rate', width: 75, of: jobRate }),
    {
      id: 'started',
      width: 110,
      cell: (job) => <RelativeTime at={job.startedAt ?? job.createdAt} />,
      value: ({ startedAt }) => startedAt,
    },
    { id: 'took', align: 'right', width: 75, cell: (job) => <Took job={job} />, value: secondsTaken },
    {
      id: 'result',
      width: 180,
      cell: (job) => <ResultCell job={job} />,
      value: ({ error, result }) => error ?? (result && JSON.stringify(result)),
    },
    {
      id: 'actor',
      width: 175,
      cell: ({ actor }) => <TargetText max={80}>{actor}</TargetText>,
    },
    { id: 'connection', width: 90 },
  ],
  opens: { name: 'job', fields: {}, drawer: OpenedJob },
});
