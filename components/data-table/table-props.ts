import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DataColumn, Selection, Sorting } from './columns';

export interface DataTableProps<Row> {
  /** Names the table for assistive technology; the page's heading is not enough. */
  label: string;
  /** Names exported files and the stored choice of columns. */
  name: string;
  /** Declare in a `useMemo`. */
  columns: DataColumn<Row>[];
  rows: Row[];
  /** Unique and stable: actions, keys and the focus follow it wherever the row moves. */
  rowId: (row: Row) => string;
  /** True during the first load (`query.isPending`): skeletons. Later refetches leave the rows in place. */
  loading?: boolean;
  /** Whether the rows belong to the previous query (`query.isPlaceholderData`): dimmed and inert. */
  placeholder?: boolean;
  /**
   * For a table that refetches by itself: the query of its rows (filter, order, page size). While the table is in use
   * its order and set of rows are held, until they are applied or this changes. See README.md.
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
  /** In place of the rows where there are none: what would be listed, and how entries are created. */
  empty?: { icon: Icon; title: string; text: ReactNode } | ReactNode;
  /** Its filter is in the address: it can be saved under a name, with its columns. */
  savesViews?: true;
  /** False for short tables inside a panel. */
  toolbar?: boolean;
}
