import type { ReactNode } from 'react';

/** One column of a `DataTable`. */
export interface DataColumn<Row> {
  id: string;
  /** The visible header, also the name in the column menu and in exports. */
  header: string;
  /** The value itself unless given. */
  cell?: (row: Row) => ReactNode;
  /** The plain value for CSV and JSON. Columns without one (buttons) are not exported. */
  value?: (row: Row) => string | number | boolean | null;
  /** Figures stand right. */
  align?: 'left' | 'right';
  /** Pixels; the table's free width is shared in proportion. 160 unless said. */
  width?: number;
  /** Not shown until chosen in the column menu. */
  hiddenAtFirst?: boolean;
  /** Rows can be put in the order of this column. */
  sortable?: boolean;
  /** Cannot be taken out of sight: what names the row. */
  pinned?: boolean;
}

export interface Selection<Row> {
  /** The label of the row's checkbox: "Select session of liwei". */
  rowLabel: (row: Row) => string;
  canSelect?: (row: Row) => boolean;
  /** Buttons for the selected rows. `clear` empties the selection after a change. */
  actions: (rows: Row[], clear: () => void) => ReactNode;
}

/** The order rows are in, and what a click on a sortable header asks for: whoever has the rows puts them in order. */
export interface Sorting {
  /** A column's id. */
  by: string;
  order: 'asc' | 'desc';
  onSort: (by: string, order: 'asc' | 'desc') => void;
}

export const DEFAULT_WIDTH = 160;
