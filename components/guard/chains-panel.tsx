'use client';

import { useTranslations } from 'next-intl';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import { DataTable } from '@/components/data-table/data-table';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import type { IpTraffic } from '@/lib/guard/traffic/schema';

type Chain = IpTraffic['chains'][number];

export const CHAIN_COLUMNS = declareColumns<Chain>('guard.traffic.chains', [
  keyColumn<Chain>({
    id: 'firstAddress',
    width: 220,
    pinned: true,
    max: 60,
  }),
  countColumn<Chain>({ id: 'fields', width: 90 }),
  countColumn<Chain>({ id: 'requests', width: 110, of: (row) => row.requestsExact ?? row.requests }),
]);

/** Forwarded chains of the table above, by the first address they claim. */
export const ChainsPanel = ({ chains }: { chains: Chain[] }) => {
  const t = useTranslations('guard.traffic.chains');
  const columns = useDeclaredColumns(CHAIN_COLUMNS);
  return (
    <Panel title={t('title')} note={t('note')}>
      <DataTable
        label={t('title')}
        name="chains"
        columns={columns}
        rows={chains}
        rowId={({ firstAddress }) => firstAddress}
        toolbar={false}
        empty={<EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
      />
    </Panel>
  );
};
