'use client';

import { Text } from '@mantine/core';
import { DataTable } from '@/components/data-table/data-table';
import type { DataTableProps } from '@/components/data-table/table-props';

interface TabTableProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'loading'> {
  /** What the table shows, in one sentence. */
  note: string;
  /** Undefined until the catalog is known. */
  rows: Row[] | undefined;
}

const NONE: never[] = [];

/** The table of a tab, below a sentence about what it shows. */
export const TabTable = <Row,>({ note, rows, ...table }: TabTableProps<Row>) => (
  <>
    <Text size="sm" c="dimmed" mb="sm">
      {note}
    </Text>
    <DataTable {...table} rows={rows ?? NONE} loading={rows === undefined} />
  </>
);
