'use client';

import { ActionIcon, Group, NativeSelect } from '@mantine/core';
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ChosenColumns } from '@/components/patterns/saved-views-drawer';
import { Strong } from '@/components/patterns/strong';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { DataColumn, Sorting } from './columns';
import classes from './data-table.module.css';
import { SelectAll } from './rows';
import type { DataTableProps } from './table-props';
import { Toolbar } from './toolbar';
import { Updates } from './updates';
import type { AllRows } from './use-selection';

interface TableHeadProps<Row> extends DataTableProps<Row> {
  selected: Row[];
  clear: () => void;
  all: AllRows;
  updates: number;
  onApply: () => void;
  isVisible: (id: string) => boolean;
  onToggle: (id: string) => void;
  chosen: ChosenColumns;
  onChosen: (chosen: ChosenColumns) => void;
}

/** The area above the rows: the actions of a selection, otherwise the toolbar; waiting updates; on a phone the order. */
export const TableHead = <Row,>(props: TableHeadProps<Row>) => {
  const { selection, selected, placeholder = false, sorting, columns, all } = props;
  const t = useTranslations('dataTable');
  const asCards = useNarrow();
  const updates = props.live && <Updates count={props.updates} onApply={props.onApply} />;
  const selectAll = asCards && selection && props.rows.length > 0 && (
    // Where rows can be sorted, the order needs the room of the words.
    <SelectAll
      all={all}
      disabled={placeholder}
      text={sorting ? '' : t('all', { count: props.rows.length })}
    />
  );
  if (selection && selected.length > 0)
    return (
      <section className={classes.actions} aria-label={t('selectionActions')} inert={placeholder}>
        {selectAll}
        <Strong aria-live="polite">{t('selected', { count: selected.length })}</Strong>
        <Group gap="xs">{selection.actions(selected, props.clear)}</Group>
        {updates}
      </section>
    );
  if (props.toolbar === false) return null;
  return (
    <Toolbar
      name={props.name}
      columns={columns}
      rows={props.rows}
      loading={props.loading ?? false}
      hasMore={props.hasMore ?? false}
      placeholder={placeholder}
      showCount={!selectAll}
      isVisible={props.isVisible}
      onToggle={props.onToggle}
      chosen={props.chosen}
      onChosen={props.onChosen}
      savesViews={props.savesViews ?? false}
    >
      {selectAll}
      {updates}
      {asCards && sorting && <CardOrder columns={columns} sorting={sorting} disabled={placeholder} />}
    </Toolbar>
  );
};

interface CardOrderProps<Row> {
  columns: DataColumn<Row>[];
  sorting: Sorting;
  disabled: boolean;
}

/** Replaces the sortable headers, which cards lack. */
const CardOrder = <Row,>({ columns, sorting: { by, order, onSort }, disabled }: CardOrderProps<Row>) => {
  const t = useTranslations('dataTable');
  const Icon = order === 'asc' ? IconSortAscending : IconSortDescending;
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <NativeSelect
        size="xs"
        miw={0}
        aria-label={t('sortBy')}
        value={by}
        disabled={disabled}
        onChange={(event) => onSort(event.currentTarget.value, 'desc')}
        data={columns
          .filter(({ sortable }) => sortable)
          .map(({ id, header }) => ({ value: id, label: header }))}
      />
      <ActionIcon
        size={36}
        aria-label={t(order)}
        disabled={disabled}
        onClick={() => onSort(by, order === 'asc' ? 'desc' : 'asc')}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
};
