'use client';

import { Checkbox, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { memo, type ReactNode } from 'react';
import { UNKNOWN } from '@/lib/format';
import { type DataColumn, plainValue, type Sorting } from './columns';
import classes from './data-table.module.css';
import { type RowProps, rowAttributes } from './row-props';
import type { AllRows } from './use-selection';

interface SelectAllProps {
  all: AllRows;
  disabled: boolean;
  /** The words next to it, on a phone; in a table the box is smaller and stands alone. */
  text?: string;
}

export const SelectAll = ({ all, disabled, text }: SelectAllProps) => {
  const t = useTranslations('dataTable');
  return (
    <Checkbox
      size={text === undefined ? 'xs' : 'md'}
      label={text || undefined}
      aria-label={t('selectAll')}
      checked={all.areAll}
      indeterminate={all.areSome && !all.areAll}
      disabled={disabled}
      onChange={(event) => all.toggle(event.currentTarget.checked)}
    />
  );
};

interface HeadRowProps<Row> {
  columns: DataColumn<Row>[];
  /** null without selection. */
  all: AllRows | null;
  placeholder: boolean;
  sorting: Sorting | undefined;
}

export const HeadRow = <Row,>({ columns, all, placeholder, sorting }: HeadRowProps<Row>) => (
  <tr aria-rowindex={1}>
    {all && (
      <th scope="col">
        <SelectAll all={all} disabled={placeholder} />
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
        <td key={column.id} data-actions />
      ),
    )}
  </tr>
);

const sortOf = (id: string, { by, order }: Sorting) => {
  if (by !== id) return 'none';
  return order === 'asc' ? 'ascending' : 'descending';
};

/** Latest or highest first; a second click reverses it. */
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

/** The announcement about a row that left the list while it was held. */
export const Gone = () => {
  const t = useTranslations('dataTable');
  return <VisuallyHidden>{t('gone')} </VisuallyHidden>;
};

export const valueIn = <Row,>(column: DataColumn<Row>, row: Row): ReactNode =>
  column.cell ? column.cell(row) : (plainValue(column, row) ?? UNKNOWN);

export const BodyRow = <Row,>(props: RowProps<Row>) => {
  const { columns, row, selection } = props;
  return (
    <tr aria-rowindex={props.index + 2} {...rowAttributes(props)}>
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
      <Cells columns={columns as DataColumn<unknown>[]} row={row} gone={props.gone} />
    </tr>
  );
};

interface CellsProps {
  columns: DataColumn<unknown>[];
  row: unknown;
  gone: boolean;
}

/** Rendered again only for another row or other columns: in a live list all rows move, but few are new. */
const Cells = memo(({ columns, row, gone }: CellsProps) =>
  columns.map((column, i) => (
    <td
      key={column.id}
      data-column={column.id}
      data-align={column.align}
      data-actions={column.header === '' || undefined}
    >
      {gone && i === 0 && <Gone />}
      {valueIn(column, row)}
    </td>
  )),
);
