import { DataTable } from './data-table';
import classes from './data-table.module.css';
import type { DataTableProps } from './table-props';

type ShortTableProps<Row> = Pick<DataTableProps<Row>, 'label' | 'name' | 'columns' | 'rows' | 'rowId'>;

const LIVE: readonly unknown[] = [];

/** A few rows inside a panel that refetches by itself; empty without rows. */
export const ShortTable = <Row,>(table: ShortTableProps<Row>) =>
  table.rows.length === 0 ? null : (
    <div className={classes.short}>
      <DataTable toolbar={false} live={LIVE} {...table} />
    </div>
  );
