'use client';

import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import { IconColumns3, IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { saveFile } from '@/components/patterns/file-bytes';
import { Tooltip } from '@/components/patterns/tooltip';
import { useLive } from '@/components/patterns/use-live';
import type { DataColumn } from './columns';
import classes from './data-table.module.css';
import { toCsv, toJson } from './export';

interface ToolbarProps<Row> {
  /** The name of exported files, without an ending. */
  name: string;
  columns: DataColumn<Row>[];
  rows: Row[];
  isVisible: (id: string) => boolean;
  onToggle: (id: string) => void;
}

const ColumnMenu = <Row,>({ columns, isVisible, onToggle }: Omit<ToolbarProps<Row>, 'name' | 'rows'>) => {
  const t = useTranslations('dataTable');
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('columns')} title={t('columns')}>
          <IconColumns3 size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('columns')}</Menu.Label>
        {columns
          .filter((column) => !column.pinned && column.header)
          .map((column) => (
            <Menu.Item
              key={column.id}
              role="menuitemcheckbox"
              aria-checked={isVisible(column.id)}
              leftSection={<span aria-hidden>{isVisible(column.id) ? '✓' : '\u2003'}</span>}
              onClick={() => onToggle(column.id)}
            >
              {column.header}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
};

const ExportMenu = <Row,>({ name, columns, rows }: Pick<ToolbarProps<Row>, 'name' | 'columns' | 'rows'>) => {
  const t = useTranslations('dataTable');
  return (
    <Menu position="bottom-end">
      <Tooltip label={t('export')}>
        <div>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('export')} disabled={rows.length === 0}>
              <IconDownload size={18} />
            </ActionIcon>
          </Menu.Target>
        </div>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Label>{t('exportLoaded', { count: rows.length })}</Menu.Label>
        <Menu.Item onClick={() => saveFile(`${name}.csv`, 'text/csv;charset=utf-8', toCsv(columns, rows))}>
          CSV
        </Menu.Item>
        <Menu.Item onClick={() => saveFile(`${name}.json`, 'application/json', toJson(columns, rows))}>
          JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
  return (
    // On one line, also on a phone, because a longer number would move the content below.
    <Group justify="space-between" gap="xs" px="sm" py={4} mih={37} wrap="nowrap">
      <Group gap="xs" wrap="nowrap" miw={0}>
        {showCount && (
          <Text size="xs" c="dimmed" aria-live={live} truncate>
            {t(loading || hasMore ? 'loadedSoFar' : 'loaded', { count: props.rows.length })}
          </Text>
        )}
        {children}
      </Group>
      <Group gap={2} inert={placeholder} wrap="nowrap" className={classes.fixed}>
        <ColumnMenu {...props} />
        <ExportMenu {...props} />
      </Group>
    </Group>
  );
};
