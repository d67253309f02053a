'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { countColumn } from '@/components/data-table/column-kinds';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { Dimmed } from '@/components/patterns/dimmed';
import { useFormat } from '@/components/patterns/use-format';
import type { Reason } from '@/lib/hit-rates/schema';
import type { Rates } from './family-panel';

const Why = ({ kind, commands }: Reason) => {
  const t = useTranslations('hitRates.notAttributed.reason');
  return (
    <>
      <Text size="sm">{t(kind)}</Text>
      {commands.length > 0 && (
        <Dimmed size="xs" ff="monospace">
          {commands.join(', ')}
        </Dimmed>
      )}
    </>
  );
};

export const REASON_COLUMNS = declareColumns<Reason>('hitRates.notAttributed.column', [
  { id: 'kind', width: 420, pinned: true, cell: (reason) => <Why {...reason} />, value: ({ kind }) => kind },
  ...(['count', 'hits', 'misses'] as const).map((id) =>
    countColumn<Reason>({ id, width: 90, of: (reason) => reason[id] }),
  ),
]);

/** Look-ups in the windows that belong to no family, and why. */
export const NotAttributed = ({ rates }: { rates: Rates }) => {
  const t = useTranslations('hitRates.notAttributed');
  const format = useFormat();
  const columns = useDeclaredColumns(REASON_COLUMNS);
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
