'use client';

import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn, keyLinkColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { BiggestKey } from '@/lib/analysis/schema';
import { newestAnalysisQuery } from './queries';
import { Links } from './section-panel';
import { OnlyCounts } from './slow-log-section';

const MAX_KEYS = 10;

const idOf = ({ keyId }: BiggestKey): string => keyId;

/** The biggest keys of the newest analysis, or how to get one; their names only for those who may see keys. */
export const BigKeysPanel = () => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const maySee = useMay('keys:view');
  const { data, error, refetch } = useQuery(newestAnalysisQuery(id));
  const columns = useMemo(
    (): DataColumn<BiggestKey>[] => [
      keyLinkColumn({ header: t('bigKeys.key'), width: 220, max: 60 }),
      textColumn({ id: 'type', header: t('bigKeys.type'), width: 80 }),
      bytesColumn({ id: 'memory', header: t('bigKeys.memory'), width: 100, of: (row) => row.memoryBytes }),
      countColumn({ id: 'length', header: t('bigKeys.length'), width: 100 }),
    ],
    [t],
  );
  const rows = [...(data?.biggest ?? [])].sort((a, b) => b.memoryBytes - a.memoryBytes).slice(0, MAX_KEYS);
  const nothing = data === null ? 'none' : data?.memoryBytes === null ? 'noMemory' : 'noKeys';
  return (
    <Panel
      title={t('bigKeys.title')}
      note={data && t.rich('bigKeys.analysed', { age: () => <RelativeTime at={data.at} /> })}
    >
      <Dimmed>{t('bigKeys.means')}</Dimmed>
      {data === undefined &&
        (error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={160} mt={12} />
        ))}
      {data !== undefined && rows.length === 0 && (
        <Text size="sm" mt="xs">
          {t(`bigKeys.${nothing}`)}
        </Text>
      )}
      {rows.length > 0 && !maySee && <OnlyCounts />}
      {maySee && (
        <ShortTable
          label={t('bigKeys.title')}
          name="diagnostics-big-keys"
          columns={columns}
          rows={rows}
          rowId={idOf}
        />
      )}
      <Links links={[{ path: '/analysis', label: tWord('analysis') }]} />
    </Panel>
  );
};
