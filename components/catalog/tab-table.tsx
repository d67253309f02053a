'use client';

import { DataTable } from '@/components/data-table/data-table';
import type { DataTableProps } from '@/components/data-table/table-props';
import { Dimmed } from '@/components/patterns/dimmed';

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
    <Dimmed mb="sm">{note}</Dimmed>
    <DataTable {...table} rows={rows ?? NONE} loading={rows === undefined} />
  </>
);
