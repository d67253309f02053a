import type { ReactNode } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { DataTable } from './data-table';
import type { DataTableProps } from './table-props';

interface TablePanelProps<Row> extends Pick<DataTableProps<Row>, 'name' | 'columns' | 'rows' | 'rowId'> {
  title: string;
  note?: ReactNode;
  /** Shown instead of the table when there are no rows. */
  nothing: string;
}

/** A panel with a short table, or a text when there are no rows. */
export const TablePanel = <Row,>({ title, note, nothing, rows, ...table }: TablePanelProps<Row>) => (
  <Panel title={title} note={note} flush={rows.length > 0}>
    {rows.length === 0 ? (
      <Dimmed>{nothing}</Dimmed>
    ) : (
      <DataTable label={title} rows={rows} toolbar={false} {...table} />
    )}
  </Panel>
);
