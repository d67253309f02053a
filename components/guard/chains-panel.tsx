'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import type { IpTraffic } from '@/lib/guard/traffic/schema';

type Chain = IpTraffic['chains'][number];

/** Forwarded chains of the table above, by the first address they claim. */
export const ChainsPanel = ({ chains }: { chains: IpTraffic['chains'] }) => {
  const t = useTranslations('guard.traffic.chains');
  const columns = useMemo(
    (): DataColumn<Chain>[] => [
      keyColumn({
        id: 'firstAddress',
        header: t('first'),
        width: 220,
        pinned: true,
        max: 60,
        of: ({ firstAddress }) => firstAddress,
      }),
      countColumn({ id: 'fields', header: t('fields'), width: 90, of: ({ fields }) => fields }),
      countColumn({
        id: 'requests',
        header: t('requests'),
        width: 110,
        of: (row) => row.requestsExact ?? row.requests,
      }),
    ],
    [t],
  );
  return (
    <Panel title={t('title')} note={t('note')}>
      <DataTable
        label={t('title')}
        name="chains"
        columns={columns}
        rows={chains}
        rowId={({ firstAddress }) => firstAddress}
        loading={false}
        toolbar={false}
        empty={<EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
      />
    </Panel>
  );
};
