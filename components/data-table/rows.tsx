'use client';

import { Checkbox } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { MouseEvent } from 'react';
import type { DataColumn, Selection } from './columns';

interface SelectAll {
  getIsAllRowsSelected: () => boolean;
  getIsSomeRowsSelected: () => boolean;
  toggleAllRowsSelected: (value?: boolean) => void;
}

interface HeadRowProps<Row> {
  columns: DataColumn<Row>[];
  /** null without selection. */
  table: SelectAll | null;
}

export const HeadRow = <Row,>({ columns, table }: HeadRowProps<Row>) => {
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
            onChange={(event) => table.toggleAllRowsSelected(event.currentTarget.checked)}
          />
        </th>
      )}
      {columns.map((column) =>
        column.header ? (
          <th key={column.id} scope="col" data-align={column.align}>
            {column.header}
          </th>
        ) : (
          <td key={column.id} />
        ),
      )}
    </tr>
  );
};

interface BodyRowProps<Row> {
  index: number;
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
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
};
