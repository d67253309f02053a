'use client';

import { Button, Code, CopyButton, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCopy, IconDownload, IconTag } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { EmptyState } from '@/components/patterns/empty-state';
import { saveFile } from '@/components/patterns/file-bytes';
import { KeyText } from '@/components/patterns/hostile-text';
import { JobProgress } from '@/components/patterns/job-progress';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { isFinished, useJob } from '@/components/patterns/use-job';
import { useLast } from '@/components/patterns/use-last';
import { withFields } from '@/components/patterns/with-fields';
import type { Inference } from '@/lib/catalog/schema';
import classes from './catalog.module.css';

/** A job that proposes families: its progress, then the families and their file. */
export const ProposalDrawer = ({ jobId, onClose }: { jobId: string | null; onClose: () => void }) => {
  const tWord = useTranslations('words');
  const shown = useLast(jobId);
  return (
    <Drawer opened={jobId !== null} onClose={onClose} inAddress size="xl" title={tWord('proposedFamilies')}>
      {shown !== null && <Proposal key={shown} jobId={shown} />}
    </Drawer>
  );
};

const Proposal = ({ jobId }: { jobId: string }) => {
  const { data: job, error, refetch } = useJob(jobId);
  const result = withFields<Inference>(job?.result, 'families', 'coverage', 'yaml');
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!job) return <Skeleton height={120} />;
  if (isFinished(job) && result) return <Proposed proposed={result} />;
  return <JobProgress job={job} />;
};

type ProposedProps = { proposed: Inference };

const Proposed = ({ proposed }: ProposedProps) => {
  const t = useTranslations('catalog.proposal');
  const format = useFormat();
  const { families, coverage, yaml } = proposed;
  if (families.length === 0)
    return (
      <EmptyState icon={<IconTag size={20} />} title={t('none')}>
        {t('noneText')}
      </EmptyState>
    );
  return (
    <Stack gap="md">
      <div role="status">
        <Text fw={600}>
          {t('coverage', {
            families: families.length,
            share: format.ratio(coverage.classified / coverage.unclassified),
            keys: coverage.unclassified,
          })}
        </Text>
        {!coverage.complete && <Dimmed>{t('sample', { scanned: format.count(coverage.scanned) })}</Dimmed>}
      </div>
      <ProposedTable proposed={proposed} />
      <CatalogFile yaml={yaml} />
    </Stack>
  );
};

type Row = Inference['families'][number];

const ProposedTable = ({ proposed: { families } }: ProposedProps) => {
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      keyColumn({
        id: 'pattern',
        header: tWord('pattern'),
        width: 220,
        pinned: true,
      }),
      { id: 'type', header: tWord('type'), width: 70 },
      { id: 'ttl', header: tWord('ttl'), width: 100 },
      countColumn({ id: 'keys', header: tWord('keys'), width: 70 }),
      {
        id: 'examples',
        header: tWord('examples'),
        width: 200,
        cell: ({ examples }) => {
          const [first] = examples;
          return first === undefined ? '—' : <KeyText max={60}>{first}</KeyText>;
        },
        value: ({ examples }) => examples.join(' '),
      },
    ],
    [tWord],
  );
  return (
    <DataTable
      label={tWord('proposedFamilies')}
      name="proposed-families"
      columns={columns}
      rows={families}
      rowId={({ id }) => id}
      loading={false}
      toolbar={false}
      empty={null}
    />
  );
};

const CatalogFile = ({ yaml }: { yaml: string }) => {
  const t = useTranslations('catalog.proposal');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Title order={3} size="h5">
          {t('file')}
        </Title>
        <Group gap="xs">
          <CopyButton value={yaml}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconCopy size={14} aria-hidden />}
                onClick={copy}
              >
                {copied ? tWord('copied') : tWord('copy')}
              </Button>
            )}
          </CopyButton>
          <Button
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => saveFile(`${id}-catalog.yaml`, 'application/yaml', yaml)}
          >
            {t('download')}
          </Button>
        </Group>
      </Group>
      <Dimmed mb={6}>{t('how')}</Dimmed>
      {/* Focusable, so that it scrolls by keyboard too. */}
      <Code
        block
        className={classes.yaml}
        tabIndex={0}
        role="region"
        aria-label={t('file')}
        data-testid="catalog-file"
      >
        {yaml}
      </Code>
    </div>
  );
};
