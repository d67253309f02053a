'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Panel } from '@/components/patterns/panel';
import { useMicros } from '@/components/patterns/use-micros';
import type { SlowGroup } from '@/lib/server/schema';
import classes from './server.module.css';

const idOf = ({ id }: SlowGroup): string => id ?? '';

const useColumns = (header: string): DataColumn<SlowGroup>[] => {
  const t = useTranslations('server');
  const micros = useMicros();
  return useMemo(
    () => [
      textColumn({
        id: 'title',
        header,
        width: 160,
        pinned: true,
        of: ({ title }) => title ?? t('slow.noFamily'),
      }),
      countColumn({ id: 'entries', header: t('column.entries'), width: 80, of: ({ entries }) => entries }),
      {
        id: 'total',
        header: t('column.total'),
        width: 90,
        align: 'right',
        cell: ({ totalMicros }) => micros(totalMicros),
        value: ({ totalMicros }) => totalMicros,
      },
      {
        id: 'max',
        header: t('column.max'),
        width: 90,
        align: 'right',
        cell: ({ maxMicros }) => micros(maxMicros),
        value: ({ maxMicros }) => maxMicros,
      },
    ],
    [t, micros, header],
  );
};

interface SlowSummaryProps {
  byFamily: SlowGroup[];
  byCommand: SlowGroup[];
}

/** Which families and commands took the most time in the log. */
export const SlowSummary = ({ byFamily, byCommand }: SlowSummaryProps) => {
  const t = useTranslations('server');
  const families = useColumns(t('column.family'));
  const commands = useColumns(t('column.command'));
  if (byCommand.length === 0) return null;
  return (
    <div className={`${classes.sections} ${classes.below}`}>
      <Panel title={t('slow.byFamily')} note={t('slow.inLog')}>
        <ShortTable
          label={t('slow.byFamily')}
          name="slow-families"
          columns={families}
          rows={byFamily}
          rowId={idOf}
        />
      </Panel>
      <Panel title={t('slow.byCommand')} note={t('slow.inLog')}>
        <ShortTable
          label={t('slow.byCommand')}
          name="slow-commands"
          columns={commands}
          rows={byCommand}
          rowId={idOf}
        />
      </Panel>
    </div>
  );
};
