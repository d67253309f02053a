'use client';

import { ActionIcon, Group } from '@mantine/core';
import { IconBookmark, IconColumns3, IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnectionOrNull } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { saveFile } from '@/components/patterns/file-bytes';
import { Menu } from '@/components/patterns/menu';
import { onDemand } from '@/components/patterns/on-demand';
import type { ChosenColumns } from '@/components/patterns/saved-views-drawer';
import { Tooltip } from '@/components/patterns/tooltip';
import { useLive } from '@/components/patterns/use-live';
import { useOpened } from '@/components/patterns/use-opened';
import type { DataColumn } from './columns';
import { toCsv, toJson } from './export';

const SavedViewsDrawer = onDemand(
  async () => (await import('@/components/patterns/saved-views-drawer')).SavedViewsDrawer,
);

interface ToolbarProps<Row> {
  /** The name of exported files, without an ending. */
  name: string;
  columns: DataColumn<Row>[];
  rows: Row[];
  isVisible: (id: string) => boolean;
  onToggle: (id: string) => void;
  chosen: ChosenColumns;
  onChosen: (chosen: ChosenColumns) => void;
  savesViews: boolean;
}

const ColumnMenu = <Row,>({
  columns,
  isVisible,
  onToggle,
}: Pick<ToolbarProps<Row>, 'columns' | 'isVisible' | 'onToggle'>) => {
  const t = useTranslations('dataTable');
  return (
    <Menu
      position="bottom-end"
      heading={t('columns')}
      items={columns
        .filter((column) => !column.pinned && column.header)
        .map(({ id, header }) => ({
          id,
          text: header,
          checked: isVisible(id),
          onClick: () => onToggle(id),
        }))}
    >
      <ActionIcon aria-label={t('columns')} title={t('columns')}>
        <IconColumns3 size={18} />
      </ActionIcon>
    </Menu>
  );
};

const ExportMenu = <Row,>({ name, columns, rows }: Pick<ToolbarProps<Row>, 'name' | 'columns' | 'rows'>) => {
  const t = useTranslations('dataTable');
  return (
    <Tooltip label={t('export')}>
      <div>
        <Menu
          position="bottom-end"
          heading={t('exportLoaded', { count: rows.length })}
          items={[
            {
              id: 'csv',
              text: 'CSV',
              onClick: () => saveFile(`${name}.csv`, 'text/csv;charset=utf-8', toCsv(columns, rows)),
            },
            {
              id: 'json',
              text: 'JSON',
              onClick: () => saveFile(`${name}.json`, 'application/json', toJson(columns, rows)),
            },
          ]}
        >
          <ActionIcon aria-label={t('export')} disabled={rows.length === 0}>
            <IconDownload size={18} />
          </ActionIcon>
        </Menu>
      </div>
    </Tooltip>
  );
};

const SavedViews = ({
  name,
  chosen,
  onChosen,
}: Pick<ToolbarProps<unknown>, 'name' | 'chosen' | 'onChosen'>) => {
  const t = useTranslations('savedViews');
  const drawer = useOpened<true>();
  return (
    <>
      <Tooltip label={t('open')}>
        <ActionIcon aria-label={t('open')} aria-haspopup="dialog" onClick={() => drawer.open(true)}>
          <IconBookmark size={18} />
        </ActionIcon>
      </Tooltip>
      <SavedViewsDrawer
        key={drawer.key}
        table={name}
        columns={chosen}
        onColumns={onChosen}
        {...drawer.props}
      />
    </>
  );
};

interface ToolbarRowProps<Row> extends ToolbarProps<Row> {
  loading: boolean;
  hasMore: boolean;
  placeholder: boolean;
  /** False where the box that selects all rows shows their number. */
  showCount: boolean;
  children: ReactNode;
}

/** The number of rows, the choice of columns, and the loaded rows as a file. */
export const Toolbar = <Row,>({
  loading,
  hasMore,
  placeholder,
  showCount,
  children,
  ...props
}: ToolbarRowProps<Row>) => {
  const t = useTranslations('dataTable');
  const live = useLive();
  const hasConnection = useConnectionOrNull() !== null;
  return (
    // On one line, also on a phone, because a longer number would move the content below.
    <Group justify="space-between" gap="xs" px="sm" py={4} mih={37} wrap="nowrap">
      <Group gap="xs" wrap="nowrap" miw={0}>
        {showCount && (
          <Dimmed size="xs" aria-live={live} truncate>
            {t(loading || hasMore ? 'loadedSoFar' : 'loaded', { count: props.rows.length })}
          </Dimmed>
        )}
        {children}
      </Group>
      <Group gap={2} inert={placeholder} wrap="nowrap" flex="none">
        {props.savesViews && hasConnection && <SavedViews {...props} />}
        <ColumnMenu {...props} />
        <ExportMenu {...props} />
      </Group>
    </Group>
  );
};
