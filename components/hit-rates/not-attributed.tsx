'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { useFormat } from '@/components/patterns/use-format';
import type { Reason } from '@/lib/hit-rates/schema';
import type { Rates } from './family-panel';

const useReasonColumns = () => {
  const t = useTranslations('hitRates.notAttributed');
  return useMemo<DataColumn<Reason>[]>(
    () => [
      {
        id: 'kind',
        header: t('column.kind'),
        width: 420,
        pinned: true,
        cell: ({ kind, commands }) => (
          <>
            <Text size="sm">{t(`reason.${kind}`)}</Text>
            {commands.length > 0 && (
              <Text size="xs" c="dimmed" ff="monospace">
                {commands.join(', ')}
              </Text>
            )}
          </>
        ),
        value: ({ kind }) => kind,
      },
      ...(['count', 'hits', 'misses'] as const).map((id) =>
        countColumn({ id, header: t(`column.${id}`), width: 90, of: (reason: Reason) => reason[id] }),
      ),
    ],
    [t],
  );
};

/** Look-ups in the windows that belong to no family, and why. */
export const NotAttributed = ({ rates }: { rates: Rates }) => {
  const t = useTranslations('hitRates.notAttributed');
  const format = useFormat();
  const columns = useReasonColumns();
  const { share, hits, misses, reasons } = rates.notAttributed;
  return (
    <TablePanel
      title={t('title')}
      note={
        share === null
          ? t('unknown')
          : t('note', { share: format.ratio(share), hits: format.count(hits), misses: format.count(misses) })
      }
      nothing={share === null ? t('noWindow') : t('nothing')}
      name="not-attributed"
      columns={columns}
      rows={reasons}
      rowId={({ kind }) => kind}
    />
  );
};
