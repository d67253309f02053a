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
import { useMemo, useState } from 'react';
import type { DataColumn, Selection } from './columns';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
interface DataTableModel<Row> {
  name: string;
  columns: DataColumn<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  selection?: Selection<Row> | undefined;
}

/** Rows, selection and the remembered choice of columns of one table. */
export const useDataTable = <Row>({ columns, rows, rowId, name, selection }: DataTableModel<Row>) => {
  const [hidden, setHidden] = useLocalStorage<ColumnVisibilityState>({
    key: `keyward-columns-${name}`,
    defaultValue: Object.fromEntries(columns.filter((c) => c.hiddenAtFirst).map((c) => [c.id, false])),
  });
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const definitions = useMemo(
    () => columns.map((column) => ({ id: column.id, header: column.header, enableHiding: !column.pinned })),
    [columns],
  );
  const table = useTable<typeof features, Row & object>({
    features,
    columns: definitions,
    data: rows as (Row & object)[],
    getRowId: rowId,
    state: { columnVisibility: hidden, rowSelection },
    onColumnVisibilityChange: setHidden,
    onRowSelectionChange: setRowSelection,
    enableRowSelection: (row) => selection !== undefined && (selection.canSelect?.(row.original) ?? true),
  });
  const visible = columns.filter((column) => column.pinned || hidden[column.id] !== false);
  return { table, visible, hidden, clear: () => setRowSelection({}) };
};
