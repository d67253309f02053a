'use client';

import { Button, Group, Stack, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useEffectEvent, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { JobProgress } from '@/components/patterns/job-progress';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { useCommand } from '@/components/patterns/use-command';
import { useJob } from '@/components/patterns/use-job';
import { type RepairKind, type RepairResult, repairContracts } from '@/lib/sessions/repair/schema';
import { RepairChoice } from './repair-choice';
import { repairResultOf } from './repair-counts';

/** Repairs that sign nobody out: selected by default. */
const HARMLESS: readonly RepairKind[] = ['staleIndex', 'unindexed', 'ghost'];

interface RepairDrawerProps {
  opened: boolean;
  /** Selected when the drawer opens; null for the harmless kinds. */
  kind: RepairKind | null;
  onClose: () => void;
  onStarted: (jobId: string) => void;
}

/** The result of a dry run, valid only for the kinds it counted. */
interface Counted {
  kinds: string;
  result: RepairResult;
}

const repairable = ({ before, left }: RepairResult): number =>
  Object.values(before).reduce((sum, count) => sum + count, 0) - left;

/** Selects what to repair, counts it with a dry run, then runs the repair as a job. */
export const RepairDrawer = ({ opened, kind, onClose, onStarted }: RepairDrawerProps) => {
  const t = useTranslations('sessions.repair');
  const { id } = useConnection();
  const [kinds, setKinds] = useState<readonly RepairKind[]>(kind ? [kind] : HARMLESS);
  const [counted, setCounted] = useState<Counted | null>(null);
  const act = useCommand(repairContracts.repair, id);
  const current = counted?.kinds === kinds.join() ? counted.result : null;
  const count = current ? repairable(current) : 0;
  const submit = (words: ChangeWords) =>
    act.mutate({ kinds: [...kinds], ...words }, { onSuccess: ({ jobId }) => onStarted(jobId) });
  return (
    <ChangeDrawer
      operation="sessions.repair"
      opened={opened}
      onClose={onClose}
      inAddress
      title={t('title')}
      verb={current ? t('verb', { count }) : t('verbUncounted')}
      destructive
      needsConfirmation
      blocked={count === 0}
      pending={act.isPending}
      error={act.error}
      onSubmit={submit}
    >
      <Stack gap="sm">
        <span>{t('sentence')}</span>
        <RepairChoice kinds={kinds} counted={current} onChange={setKinds} />
        <DryRun
          kinds={kinds}
          current={current}
          onCounted={(of, result) => setCounted({ kinds: of.join(), result })}
        />
      </Stack>
    </ChangeDrawer>
  );
};

interface DryRunProps {
  kinds: readonly RepairKind[];
  /** The dry run of exactly these kinds, or null. */
  current: RepairResult | null;
  onCounted: (kinds: readonly RepairKind[], result: RepairResult) => void;
}

const DryRun = ({ kinds, current, onCounted }: DryRunProps) => {
  const t = useTranslations('sessions.repair');
  const { id } = useConnection();
  const count = useCommand(repairContracts.repair, id);
  const [run, setRun] = useState<{ jobId: string; kinds: readonly RepairKind[]; over: boolean } | null>(null);
  const going = count.isPending || (run !== null && !run.over);
  const start = () =>
    count.mutate(
      { kinds: [...kinds], dryRun: true },
      { onSuccess: ({ jobId }) => setRun({ jobId, kinds, over: false }) },
    );
  return (
    <Stack gap="sm">
      {!current && (
        <Group gap="sm">
          <Button
            size="xs"
            leftSection={<IconListSearch size={15} aria-hidden />}
            onClick={start}
            loading={going}
            disabled={kinds.length === 0}
          >
            {t('count')}
          </Button>
          <Text size="xs" c="dimmed">
            {t(kinds.length === 0 ? 'chooseOne' : 'countFirst')}
          </Text>
        </Group>
      )}
      {count.error && <ProblemAlert error={count.error} />}
      {run && !current && (
        <CountingJob
          key={run.jobId}
          jobId={run.jobId}
          onOver={(result) => {
            setRun({ ...run, over: true });
            if (result) onCounted(run.kinds, result);
          }}
        />
      )}
      <div role="status">
        {current && (
          <Text size="sm" fw={600}>
            {t('counted', { count: repairable(current) })}
          </Text>
        )}
        {current && <NotRepaired />}
      </div>
    </Stack>
  );
};

interface CountingJobProps {
  jobId: string;
  /** Called with the counts; null if the job failed. */
  onOver: (result: RepairResult | null) => void;
}

const CountingJob = ({ jobId, onOver }: CountingJobProps) => {
  const { data: job, error, refetch } = useJob(jobId);
  const report = useEffectEvent(() => onOver(repairResultOf(job)));
  const over = job !== undefined && job.finishedAt !== null;
  useEffect(() => {
    if (over) report();
  }, [over]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  return job ? <JobProgress job={job} /> : null;
};

/** How many malformed sessions no repair changes. */
const NotRepaired = () => {
  const t = useTranslations('sessions.repair');
  const { id } = useConnection();
  const { data } = useQuery(sessionStatsQuery(id));
  const malformed = data?.byState?.malformed ?? 0;
  return malformed > 0 && <Text size="sm">{t('malformed', { count: malformed })}</Text>;
};
