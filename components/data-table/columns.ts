import type { ReactNode } from 'react';

/** The place of a column when rows are cards, on a phone. */
export type CardPlace = 'title' | 'head' | 'fact' | 'action' | 'hidden';

export type Plain = string | number | boolean | null;

/** The fields of a row whose values are such. */
export type FieldOf<Row, Value = Plain> = {
  [Name in keyof Row]-?: Row[Name] extends Value ? Name : never;
}[keyof Row] &
  string;

export interface ColumnLook<Row> {
  /** The visible header, also the name in the column menu and in exports. */
  header: string;
  /** By default the value itself. */
  cell?: (row: Row) => ReactNode;
  /** Figures are right-aligned. */
  align?: 'left' | 'right';
  /** Pixels; the table's free width is shared proportionally. 160 by default. */
  width?: number;
  /** Pixels below which its cells are cut; the table adds what the words of its header need. */
  least?: number;
  /** Hidden until selected in the column menu, like columns that do not fit. */
  hiddenAtFirst?: boolean;
  /** Whether rows can be sorted by this column. */
  sortable?: boolean;
  /** Cannot be hidden and always fits, because it names the row. */
  pinned?: boolean;
  /** Less informative than others: hidden first where space is scarce. */
  minor?: true;
  /** By default the first pinned column is the title, one without a header an action, all others facts. */
  card?: CardPlace;
}

/** The plain value for CSV and JSON, by default the row's field of that id. Null: not exported, as buttons. */
type ColumnValue<Row> =
  | { id: string; value: ((row: Row) => Plain) | null }
  | { id: FieldOf<Row>; value?: undefined };

/** One column of a `DataTable`. */
export type DataColumn<Row> = ColumnLook<Row> & ColumnValue<Row>;

/** A list's column that takes its header from the list's texts: by its id, or by `header` where that is another key. */
export type ListColumn<Row> = Omit<ColumnLook<Row>, 'header'> & { header?: string } & ColumnValue<Row>;

/** Null in a column that is not exported. */
export const plainValue = <Row>({ id, value }: DataColumn<Row>, row: Row): Plain =>
  value === undefined ? (row as Record<string, Plain>)[id]! : (value?.(row) ?? null);

/** The columns of a card, each with its place. Without a pinned column the first is the title. */
export const cardPlaces = <Row>(
  columns: readonly DataColumn<Row>[],
): Record<CardPlace, DataColumn<Row>[]> => {
  const hasTitle = columns.some(({ card }) => card === 'title');
  const first = columns.find(({ pinned, header }) => pinned && header !== '') ?? columns[0];
  const placeOf = (column: DataColumn<Row>): CardPlace => {
    if (column.card) return column.card;
    if (column.header === '') return 'action';
    return !hasTitle && column === first ? 'title' : 'fact';
  };
  const places: Record<CardPlace, DataColumn<Row>[]> = {
    title: [],
    head: [],
    fact: [],
    action: [],
    hidden: [],
  };
  for (const column of columns) places[placeOf(column)].push(column);
  return places;
};

export interface Selection<Row> {
  /** The label of the row's checkbox: "Select session of liwei". */
  rowLabel: (row: Row) => string;
  canSelect?: (row: Row) => boolean;
  /** Buttons for the selected rows. `clear` empties the selection after a change. */
  actions: (rows: Row[], clear: () => void) => ReactNode;
}

/** The order of the rows, and what a click on a sortable header requests. The page or the server sorts. */
export interface Sorting {
  /** A column's id. */
  by: string;
  order: 'asc' | 'desc';
  onSort: (by: string, order: 'asc' | 'desc') => void;
}

export const DEFAULT_WIDTH = 160;

export const widthOf = <Row>(columns: readonly DataColumn<Row>[]): number =>
  columns.reduce((sum, { width = DEFAULT_WIDTH }) => sum + width, 0);

/** The part of its width that a column keeps where space is scarce; never less than its header needs. */
const KEPT = 0.8;

const leastOf = <Row>({ width = DEFAULT_WIDTH, least = 0 }: DataColumn<Row>): number =>
  Math.min(width, Math.max(least, Math.round(width * KEPT)));

/**
 * The columns that fit, with their widths. They become narrower first; then the last ones are dropped, and before them
 * minor ones and those that a phone hides.
 */
export const columnsWithin = <Row>(
  width: number,
  columns: readonly DataColumn<Row>[],
  keeps: (column: DataColumn<Row>) => boolean,
): DataColumn<Row>[] => {
  const weight = ({ card, minor }: DataColumn<Row>) => Number(card !== 'hidden' && !minor);
  const yielding = columns
    .filter((column) => !keeps(column))
    .reverse()
    .sort((a, b) => weight(a) - weight(b));
  const shown = new Set(columns);
  const least = () => [...shown].reduce((sum, column) => sum + leastOf(column), 0);
  for (const column of yielding) if (least() > width) shown.delete(column);
  const wanted = widthOf([...shown]);
  const free = Math.max(0, width - least());
  const given = wanted > width && wanted > least() ? free / (wanted - least()) : 1;
  return [...shown].map((column) => {
    const from = leastOf(column);
    return { ...column, width: Math.floor(from + ((column.width ?? DEFAULT_WIDTH) - from) * given) };
  });
};
