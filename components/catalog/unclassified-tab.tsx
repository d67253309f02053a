'use client';

import { Button, Group } from '@mantine/core';
import { IconSparkles, IconTag } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, countColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { duplicateJobOf, showingJob } from '@/components/patterns/target-problems';
import { TextLink } from '@/components/patterns/text-link';
import { useCommand } from '@/components/patterns/use-command';
import { useMay } from '@/components/patterns/viewer';
import type { Catalog, UnclassifiedPrefix } from '@/lib/catalog/schema';
import { catalogContracts } from '@/lib/catalog/schema';

interface UnclassifiedTabProps {
  catalog: Catalog | undefined;
  /** Shows the job that proposes families. */
  onJob: (jobId: string) => void;
}

const NONE: UnclassifiedPrefix[] = [];

/** The keys that no family matches, by prefix. */
export const UnclassifiedTab = ({ catalog, onJob }: UnclassifiedTabProps) => {
  const t = useTranslations('catalog.unclassified');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const infer = useCommand(catalogContracts.infer, id);
  const mayInfer = useMay('analysis:run');
  const propose = (prefixes?: string[]) => infer.mutate(prefixes ? { prefixes } : {}, showingJob(onJob));
  const rows = catalog?.unclassified ?? NONE;
  const columns = useColumns(catalog?.coverage.keys ?? null, mayInfer ? propose : null, infer.isPending);
  const rest = (catalog?.coverage.unclassified ?? 0) - rows.reduce((sum, { keys }) => sum + keys, 0);
  const malformed = catalog?.coverage.malformed ?? 0;
  const isCounted = catalog?.coverage.countedAt !== null;
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="sm">
        <Dimmed flex="1 1 280px">{t('note')}</Dimmed>
        {mayInfer && (
          <Button
            style={{ flexShrink: 0 }}
            leftSection={<IconSparkles size={16} aria-hidden />}
            loading={infer.isPending}
            disabled={rows.length === 0}
            onClick={() => propose()}
          >
            {t('all')}
          </Button>
        )}
      </Group>
      {infer.error && duplicateJobOf(infer.error) === null && <ProblemAlert error={infer.error} />}
      <DataTable
        label={tWord('unclassifiedKeys')}
        name={`unclassified-${id}`}
        columns={columns}
        rows={rows}
        rowId={({ prefix }) => prefix}
        loading={catalog === undefined}
        live={[]}
        empty={
          isCounted ? (
            <EmptyState icon={<IconTag size={20} />} title={t('empty')}>
              {t('emptyText')}
            </EmptyState>
          ) : (
            <EmptyState icon={<IconTag size={20} />} title={tWord('unclassifiedKeys')}>
              {t('notCounted')}
            </EmptyState>
          )
        }
      />
      {(rest > 0 || malformed > 0) && (
        <Dimmed mt="xs">
          {rest > 0 && t('more', { count: rest })} {malformed > 0 && t('malformed', { count: malformed })}
        </Dimmed>
      )}
    </>
  );
};

/** A prefix, with a link to its keys for users who may see them. */
const Prefix = ({ prefix }: { prefix: string }) => {
  const t = useTranslations('catalog.unclassified');
  const { id } = useConnection();
  const mayView = useMay('keys:view');
  const text = prefix === '' ? t('noPrefix') : <KeyText>{prefix}</KeyText>;
  if (!mayView) return text;
  const search = new URLSearchParams({ state: 'unclassified', ...(prefix !== '' && { prefix }) });
  return (
    <TextLink c="inherit" underline="always" href={`/${id}/keys?${search}`}>
      {text}
    </TextLink>
  );
};

const useColumns = (
  keys: number | null,
  propose: ((prefixes: string[]) => void) | null,
  pending: boolean,
): DataColumn<UnclassifiedPrefix>[] => {
  const t = useTranslations('catalog.unclassified');
  const tWord = useTranslations('words');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `propose` is a new function in every rendering
  return useMemo(
    (): DataColumn<UnclassifiedPrefix>[] => [
      {
        id: 'prefix',
        header: tWord('prefix'),
        width: 180,
        pinned: true,
        cell: ({ prefix }) => <Prefix prefix={prefix} />,
      },
      countColumn({ id: 'keys', header: tWord('keys'), width: 80 }),
      rateColumn({
        id: 'share',
        header: t('column.share'),
        width: 80,
        of: (row) => (keys ? row.keys / keys : null),
      }),
      {
        id: 'sample',
        header: tWord('examples'),
        width: 300,
        cell: ({ sample }) =>
          // A masked key looks like any other of its prefix.
          [...new Set(sample)].map((key) => (
            <div key={key}>
              <KeyText max={80}>{key}</KeyText>
            </div>
          )),
        value: ({ sample }) => sample.join(' '),
      },
      ...(propose
        ? [
            actionsColumn<UnclassifiedPrefix>({
              width: 150,
              cell: ({ prefix }) =>
                prefix !== '' && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    disabled={pending}
                    aria-label={t('oneFor', { prefix })}
                    onClick={() => propose([prefix])}
                  >
                    {t('one')}
                  </Button>
                ),
            }),
          ]
        : []),
    ],
    [t, keys, propose !== null, pending],
  );
};
