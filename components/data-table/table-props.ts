import type { ReactNode } from 'react';
import type { DataColumn, Selection, Sorting } from './columns';

export interface DataTableProps<Row> {
  /** Names the table for assistive technology; the page's heading is not enough. */
  label: string;
  /** Names exported files and the remembered choice of columns. */
  name: string;
  /** Declare in a `useMemo`. */
  columns: DataColumn<Row>[];
  rows: Row[];
  /** Unique and lasting: actions, keys and the focus follow it, wherever the row moves. */
  rowId: (row: Row) => string;
  /** The first load (`query.isPending`): skeletons. Later refetches leave the rows where they are. */
  loading: boolean;
  /** The rows are of the previous query (`query.isPlaceholderData`): dimmed and inert. */
  placeholder?: boolean;
  /**
   * For a table that refetches by itself: what its rows answer (filter, order, page size). While it is in use its
   * order and set of rows are held, until they are applied or this changes. See README.md.
   */
  live?: readonly unknown[];
  /** `query.hasNextPage`, `query.isFetchingNextPage`, `query.fetchNextPage` of an infinite query. */
  hasMore?: boolean;
  fetchingMore?: boolean;
  onMore?: () => void;
  /** Enter, or a click on the row. */
  onOpen?: (row: Row) => void;
  selection?: Selection<Row>;
  /** Without it headers do not sort. */
  sorting?: Sorting | undefined;
  /** What would be here and how it gets here. */
  empty: ReactNode;
  /** Short tables inside a panel have none. */
  toolbar?: boolean;
}
