'use client';

import { Checkbox, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { MouseEvent } from 'react';
import { UNKNOWN } from '@/lib/format';
import type { DataColumn, Selection, Sorting } from './columns';
import classes from './data-table.module.css';

interface SelectAll {
  getIsAllRowsSelected: () => boolean;
  getIsSomeRowsSelected: () => boolean;
  toggleAllRowsSelected: (value?: boolean) => void;
}

interface HeadRowProps<Row> {
  columns: DataColumn<Row>[];
  /** null without selection. */
  table: SelectAll | null;
  placeholder: boolean;
  sorting: Sorting | undefined;
}

export const HeadRow = <Row,>({ columns, table, placeholder, sorting }: HeadRowProps<Row>) => {
  const t = useTranslations('table');
  return (
    <tr aria-rowindex={1}>
      {table && (
        <th scope="col">
          <Checkbox
            size="xs"
            aria-label={t('selectAll')}
            checked={table.getIsAllRowsSelected()}
            indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
            disabled={placeholder}
            onChange={(event) => table.toggleAllRowsSelected(event.currentTarget.checked)}
          />
        </th>
      )}
      {columns.map((column) =>
        column.header ? (
          <th
            key={column.id}
            scope="col"
            data-align={column.align}
            aria-sort={sorting && column.sortable ? sortOf(column.id, sorting) : undefined}
          >
            {sorting && column.sortable ? <SortButton column={column} sorting={sorting} /> : column.header}
          </th>
        ) : (
          <td key={column.id} />
        ),
      )}
    </tr>
  );
};

const sortOf = (id: string, { by, order }: Sorting) => {
  if (by !== id) return 'none';
  return order === 'asc' ? 'ascending' : 'descending';
};

/** The latest or most first; a second click turns it round. */
const SortButton = <Row,>({ column, sorting }: { column: DataColumn<Row>; sorting: Sorting }) => {
  const isSorted = sorting.by === column.id;
  const Icon = !isSorted ? IconArrowsSort : sorting.order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <UnstyledButton
      className={classes.sort}
      data-sorted={isSorted || undefined}
      onClick={() => sorting.onSort(column.id, isSorted && sorting.order === 'desc' ? 'asc' : 'desc')}
    >
      {column.header}
      <Icon size={14} stroke={1.8} aria-hidden />
    </UnstyledButton>
  );
};

interface BodyRowProps<Row> {
  index: number;
  id: string;
  columns: DataColumn<Row>[];
  row: Row;
  measure: (element: HTMLTableRowElement | null) => void;
  active: boolean;
  selection: Selection<Row> | undefined;
  selected: boolean;
  selectable: boolean;
  onSelect: (event: unknown) => void;
  onOpen: ((row: Row) => void) | undefined;
}

const INTERACTIVE = 'a, button, input, label, select, textarea, [role="switch"]';

export const BodyRow = <Row,>(props: BodyRowProps<Row>) => {
  const { index, columns, row, selection, onOpen } = props;
  const open = (event: MouseEvent) => {
    // Marking text in a row, or using what is in it, is not opening it.
    if ((event.target as HTMLElement).closest(INTERACTIVE) || window.getSelection()?.toString()) return;
    onOpen?.(row);
  };
  return (
    <tr
      ref={props.measure}
      data-index={index}
      data-row-id={props.id}
      data-selected={props.selected || undefined}
      data-open={onOpen ? true : undefined}
      aria-rowindex={index + 2}
      tabIndex={props.active ? 0 : -1}
      onClick={onOpen ? open : undefined}
    >
      {selection && (
        <td>
          <Checkbox
            size="xs"
            aria-label={selection.rowLabel(row)}
            checked={props.selected}
            disabled={!props.selectable}
            onClick={props.onSelect}
            readOnly
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} data-align={column.align}>
          {column.cell ? column.cell(row) : (column.value?.(row) ?? UNKNOWN)}
        </td>
      ))}
    </tr>
  );
};
