'use client';

import { useLocalStorage } from '@mantine/hooks';
import {
  type ColumnVisibilityState,
  columnVisibilityFeature,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type RefObject, useMemo, useState } from 'react';
import type { DataTableProps } from './table-props';
import { useSteadyRows } from './use-steady-rows';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });

/** The rows to show, their selection, and the remembered choice of columns of one table. */
export const useDataTable = <Row>(
  props: DataTableProps<Row>,
  root: RefObject<HTMLElement | null>,
  isCards: boolean,
) => {
  const { columns, rowId, name, selection, live } = props;
  const [hidden, setHidden] = useLocalStorage<ColumnVisibilityState>({
    key: `keyward-columns-${name}`,
    defaultValue: Object.fromEntries(columns.filter((c) => c.hiddenAtFirst).map((c) => [c.id, false])),
  });
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const steady = useSteadyRows({
    root,
    rows: props.rows,
    rowId,
    view: live ? JSON.stringify(live) : null,
    paged: props.onMore !== undefined,
    isProvisional: props.loading || props.placeholder === true,
    isCards,
    isSelected: (id) => rowSelection[id] === true,
  });
  const definitions = useMemo(
    () => columns.map((column) => ({ id: column.id, header: column.header, enableHiding: !column.pinned })),
    [columns],
  );
  const table = useTable<typeof features, Row & object>({
    features,
    columns: definitions,
    data: steady.rows as (Row & object)[],
    getRowId: rowId,
    state: { columnVisibility: hidden, rowSelection },
    onColumnVisibilityChange: setHidden,
    onRowSelectionChange: setRowSelection,
    enableRowSelection: (row) => selection !== undefined && (selection.canSelect?.(row.original) ?? true),
  });
  const visible = useMemo(
    () => columns.filter((column) => column.pinned || hidden[column.id] !== false),
    [columns, hidden],
  );
  return { table, steady, visible, hidden, clear: () => setRowSelection({}) };
};
