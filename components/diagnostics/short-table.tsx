import { DataTable } from '@/components/data-table/data-table';
import type { DataTableProps } from '@/components/data-table/table-props';
import classes from './diagnostics.module.css';

type ShortTableProps<Row> = Pick<DataTableProps<Row>, 'label' | 'name' | 'columns' | 'rows' | 'rowId'>;

const LIVE: readonly unknown[] = [];

/** A few rows inside a section, which refetches by itself; nothing without any. */
export const ShortTable = <Row,>(table: ShortTableProps<Row>) =>
  table.rows.length === 0 ? null : (
    <div className={classes.table}>
      <DataTable loading={false} empty={null} toolbar={false} live={LIVE} {...table} />
    </div>
  );
