'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { BiggestKey } from '@/lib/analysis/schema';
import { newestAnalysisQuery } from './queries';
import { Links } from './section-panel';
import { ShortTable } from './short-table';

const MAX_KEYS = 10;

const idOf = ({ keyId }: BiggestKey): string => keyId;

/** The biggest keys of the newest analysis, or how to get one. */
export const BigKeysPanel = () => {
  const t = useTranslations('diagnostics');
  const { id } = useConnection();
  const mayOpen = useMay('keys:view');
  const { data } = useQuery(newestAnalysisQuery(id));
  const columns = useMemo(
    (): DataColumn<BiggestKey>[] => [
      {
        id: 'key',
        header: t('bigKeys.key'),
        width: 220,
        pinned: true,
        cell: ({ key, keyId }) =>
          mayOpen ? (
            <KeyLink keyId={keyId} max={60}>
              {key}
            </KeyLink>
          ) : (
            <KeyText max={60}>{key}</KeyText>
          ),
        value: ({ key }) => key,
      },
      textColumn({ id: 'type', header: t('bigKeys.type'), width: 80, of: ({ type }) => type }),
      bytesColumn({ id: 'memory', header: t('bigKeys.memory'), width: 100, of: (row) => row.memoryBytes }),
      countColumn({ id: 'length', header: t('bigKeys.length'), width: 100, of: ({ length }) => length }),
    ],
    [t, mayOpen],
  );
  const rows = [...(data?.biggest ?? [])].sort((a, b) => b.memoryBytes - a.memoryBytes).slice(0, MAX_KEYS);
  return (
    <Panel
      title={t('bigKeys.title')}
      note={data && t.rich('bigKeys.analysed', { age: () => <RelativeTime at={data.at} /> })}
    >
      <Text size="sm" c="dimmed">
        {t('bigKeys.means')}
      </Text>
      {rows.length === 0 && (
        <Text size="sm" mt="xs">
          {t('bigKeys.none')}
        </Text>
      )}
      <ShortTable
        label={t('bigKeys.title')}
        name="diagnostics-big-keys"
        columns={columns}
        rows={rows}
        rowId={idOf}
      />
      <Links links={[{ path: '/analysis', label: t('link.analysis') }]} />
    </Panel>
  );
};
