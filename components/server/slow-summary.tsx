'use client';

import { useTranslations } from 'next-intl';
import { countColumn, microsColumn } from '@/components/data-table/column-kinds';
import type { ListColumn } from '@/components/data-table/columns';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Columns } from '@/components/patterns/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import type { SlowGroup } from '@/lib/server/schema';

const idOf = ({ id }: SlowGroup): string => id ?? '';

const GroupName = ({ title }: SlowGroup) => {
  const t = useTranslations('server.slow');
  return title === null ? t('noFamily') : <HostileText max={60}>{title}</HostileText>;
};

const columnsOf = (id: 'family' | 'command'): ListColumn<SlowGroup>[] => [
  { id, width: 160, pinned: true, cell: (group) => <GroupName {...group} />, value: ({ title }) => title },
  countColumn<SlowGroup>({ id: 'entries', width: 80 }),
  microsColumn<SlowGroup>({ id: 'total', width: 90, of: ({ totalMicros }) => totalMicros }),
  microsColumn<SlowGroup>({ id: 'max', width: 90, of: ({ maxMicros }) => maxMicros }),
];

export const BY_FAMILY = declareColumns('server.column', columnsOf('family'));
export const BY_COMMAND = declareColumns('server.column', columnsOf('command'));

interface SlowSummaryProps {
  byFamily: SlowGroup[];
  byCommand: SlowGroup[];
}

/** Which families and commands took the most time in the log. */
export const SlowSummary = ({ byFamily, byCommand }: SlowSummaryProps) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const families = useDeclaredColumns(BY_FAMILY);
  const commands = useDeclaredColumns(BY_COMMAND);
  if (byCommand.length === 0) return null;
  return (
    <Columns keepsWidth mt={12}>
      <Panel title={t('slow.byFamily')} note={t('slow.inLog')}>
        <ShortTable
          label={t('slow.byFamily')}
          name="slow-families"
          columns={families}
          rows={byFamily}
          rowId={idOf}
        />
      </Panel>
      <Panel title={tWord('slowCommands')} note={t('slow.inLog')}>
        <ShortTable
          label={tWord('slowCommands')}
          name="slow-commands"
          columns={commands}
          rows={byCommand}
          rowId={idOf}
        />
      </Panel>
    </Columns>
  );
};
