'use client';

import { Alert, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { JobProgress } from '@/components/patterns/job-progress';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { TextLink } from '@/components/patterns/text-link';
import { useFormat } from '@/components/patterns/use-format';
import { useJob } from '@/components/patterns/use-job';
import { withFields } from '@/components/patterns/with-fields';
import { REPAIRS, type RepairKind, type RepairResult } from '@/lib/sessions/repair/schema';

/** What a repair's job counted; null before it ends. */
export const repairResultOf = (result: unknown) =>
  withFields<RepairResult>(result, 'before', 'repaired', 'after', 'left');

interface RepairJobProps {
  /** null: closed. */
  jobId: string | null;
  onClose: () => void;
}

/** Progress and result of a repair. */
export const RepairJob = ({ jobId, onClose }: RepairJobProps) => {
  const t = useTranslations('sessions.repair');
  return (
    <Drawer opened={jobId !== null} onClose={onClose} inAddress width="detail" title={t('title')}>
      {jobId !== null && <OneRepair key={jobId} jobId={jobId} />}
    </Drawer>
  );
};

const OneRepair = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('sessions.repair');
  const { data: job, error, refetch } = useJob(jobId);
  const result = repairResultOf(job?.result);
  const remaining = result ? Object.values(result.after).reduce((sum, count) => sum + count, 0) : 0;
  return (
    <Stack gap="md">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      {job && <JobProgress job={job} />}
      {!job && !error && <Skeleton height={56} />}
      {result && (
        <>
          <Alert
            role="status"
            color={remaining === 0 ? 'green' : 'orange'}
            icon={remaining === 0 ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
            title={t(remaining === 0 ? 'clean' : 'remaining', { count: remaining })}
          >
            {t('checked')}
          </Alert>
          <RepairOutcome result={result} />
        </>
      )}
      <Group>
        <TextLink href={`/jobs?job=${jobId}`}>{t('inJobs')}</TextLink>
      </Group>
    </Stack>
  );
};

const kindsOf = ({ before }: RepairResult): RepairKind[] =>
  REPAIRS.filter((kind) => before[kind] !== undefined);

/** A repair's counts: before, repaired, and after. */
const RepairOutcome = ({ result }: { result: RepairResult }) => {
  const t = useTranslations('sessions.repair');
  const tSessions = useTranslations('sessions');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { before, repaired, after, ended, left } = result;
  return (
    <div>
      <Table verticalSpacing={5} horizontalSpacing="xs" fz="sm" aria-label={tWord('result')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{tSessions('user.history.what')}</Table.Th>
            <Table.Th ta="end">{tWord('before')}</Table.Th>
            <Table.Th ta="end">{t('column.repaired')}</Table.Th>
            <Table.Th ta="end">{tWord('after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kindsOf(result).map((kind) => (
            <Table.Tr key={kind}>
              <Table.Td>{t(`kind.${kind}`)}</Table.Td>
              <Table.Td ta="end">{format.count(before[kind])}</Table.Td>
              <Table.Td ta="end" fw={600}>
                {format.count(repaired[kind])}
              </Table.Td>
              <Table.Td ta="end">{format.count(after[kind])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {ended > 0 && (
        <Text size="sm" mt="xs">
          {t('ended', { count: ended })}
        </Text>
      )}
      {left > 0 && (
        <Text size="sm" mt="xs">
          {t('left', { count: left })}
        </Text>
      )}
    </div>
  );
};
