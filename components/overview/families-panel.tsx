'use client';

import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { memo, useMemo } from 'react';
import { bytesColumn, countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { familiesQuery } from '@/components/patterns/families-query';
import { HitRateSource, useHitRateSource } from '@/components/patterns/hit-rate-source';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RateBar } from '@/components/patterns/rate-bar';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { FamilyRow } from '@/lib/insights/schema';

const SHOWN = 8;

const useColumns = () => {
  const t = useTranslations('overview.families');
  const sourceOf = useHitRateSource();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words of a source follow from the texts
  return useMemo<DataColumn<FamilyRow>[]>(
    () => [
      {
        id: 'family',
        header: t('family'),
        width: 200,
        pinned: true,
        cell: (row) => (
          <Text size="sm" fw={600} title={row.purpose} truncate>
            {row.title}
          </Text>
        ),
        value: (row) => row.family,
      },
      keyColumn({ id: 'pattern', header: t('pattern'), width: 260, max: 60, of: (row) => row.pattern }),
      countColumn({ id: 'keys', header: t('keys'), width: 100, of: (row) => row.keys }),
      {
        id: 'hitRate',
        header: t('hitRate'),
        width: 180,
        cell: (row) => (
          <span title={row.source === 'none' ? undefined : sourceOf(row)}>
            <RateBar value={row.hitRate} />
            {row.source !== 'none' && (
              <div>
                <HitRateSource source={row.source} coverage={null} error={null} />
              </div>
            )}
          </span>
        ),
        value: (row) => row.hitRate,
      },
      bytesColumn({ id: 'memory', header: t('memory'), width: 110, of: (row) => row.memoryBytes }),
      {
        id: 'ttl',
        header: t('ttl'),
        width: 140,
        align: 'right',
        value: (row) => row.ttl,
      },
    ],
    [t],
  );
};

/** The families that hold the most keys; all are on the Caches page. Not drawn anew with each live point. */
export const FamiliesPanel = memo(({ connection }: { connection: string }) => {
  const t = useTranslations('overview.families');
  const columns = useColumns();
  const { data, error, isPending, refetch } = useQuery(familiesQuery(connection));
  const rows = useMemo(
    () => (data?.items ?? []).toSorted((a, b) => (b.keys ?? -1) - (a.keys ?? -1)).slice(0, SHOWN),
    [data],
  );
  const note = (
    <>
      {data?.countedAt && (
        <>
          {t('counted')} <RelativeTime at={data.countedAt} /> ·{' '}
        </>
      )}
      <Anchor component={Link} href={`/${connection}/caches`} size="xs" underline="always">
        {t('all', { count: data?.items.length ?? 0 })}
      </Anchor>
    </>
  );
  return (
    <Panel title={t('title')} note={note} flush>
      {error && !data ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label={t('title')}
          name="overview-families"
          columns={columns}
          rows={rows}
          rowId={(row) => row.family}
          loading={isPending}
          toolbar={false}
          empty={<EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
        />
      )}
    </Panel>
  );
});
