import type { ComponentType, ReactNode } from 'react';
import { Bytes, Count, Duration, Micros, PerSecond, Rate } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import type { ColumnLook, DataColumn, FieldOf, ListColumn, Plain } from './columns';

/** A column of one plain value, shown and exported: by default the row's field of that id. */
type ValueColumn<Row, Value, More = unknown> = Omit<ColumnLook<Row>, 'cell' | 'align'> &
  More &
  ({ id: string; of: (row: Row) => Value } | { id: FieldOf<Row, Value>; of?: undefined });

type Unnamed<Column> = Column extends unknown ? Omit<Column, 'header'> : never;

/** Makes a column with a header, or one for a list, which uses the list's texts. */
interface ColumnKind<Value, More = unknown> {
  <Row>(column: ValueColumn<Row, Value, More>): DataColumn<Row>;
  <Row>(column: Unnamed<ValueColumn<Row, Value, More>>): ListColumn<Row>;
}

interface AnyColumn<Value> {
  id: string;
  of?: (row: unknown) => Value;
}

/** A kind from what shows its values. */
const columnKind = <Value extends Plain, More = unknown>(
  cellOf: (plainOf: (row: unknown) => Value, more: More) => (row: unknown) => ReactNode,
  align?: 'right',
) =>
  (({ of, ...column }: AnyColumn<Value> & More) => {
    const value = of ?? ((row) => (row as Record<string, Value>)[column.id]!);
    return { ...(align && { align }), ...column, cell: cellOf(value, column as More), value };
  }) as unknown as ColumnKind<Value, More>;

interface TextLength {
  /** Number of characters before the rest is cut. */
  max?: number;
}

const textKind = (Shown: typeof HostileText, length: number) =>
  columnKind<string | null, TextLength>((plainOf, { max = length }) => (row) => (
    <Shown max={max}>{plainOf(row)}</Shown>
  ));

/** Text from users or applications, shown safely. */
export const textColumn = textKind(HostileText, 60);
/** A key, pattern or address, in monospace. */
export const keyColumn = textKind(KeyText, 120);

interface NamedKey {
  keyId: string;
  key: string;
}

/** The name of a key, which links to the inspector; cut on the page. */
export const keyLinkColumn = <Row extends NamedKey, Given extends { header?: string }>(
  column: Given & TextLength & Omit<ColumnLook<Row>, 'header' | 'cell'>,
): Given & ListColumn<Row> => ({
  id: 'key',
  pinned: true,
  ...column,
  cell: ({ keyId, key }) => (
    <KeyLink keyId={keyId} max={column.max ?? 80}>
      {key}
    </KeyLink>
  ),
  value: ({ key }) => key,
});

/** An id or fingerprint made by the console. */
export const codeColumn = columnKind<string>((plainOf) => (row) => <code>{plainOf(row)}</code>);

interface TimeLook {
  /** Shown without a time; "—" by default. */
  none?: string;
  /** The date and time instead of "2 min ago". */
  absolute?: boolean;
}

/** "2 min ago". */
export const timeColumn = columnKind<string | null, TimeLook>((plainOf, { none, absolute }) => {
  const Time = absolute ? AbsoluteTime : RelativeTime;
  return (row) => (none !== undefined && plainOf(row) === null ? none : <Time at={plainOf(row)} />);
});

type Figure = number | null;

const figureColumn = <Value extends Figure | string>(Shown: ComponentType<{ value: Value }>) =>
  columnKind<Value>((plainOf) => (row) => <Shown value={plainOf(row)} />, 'right');

/** Text: the digits of a count that a number would round. */
export const countColumn = figureColumn<Figure | string>(Count);
export const bytesColumn = figureColumn<Figure>(Bytes);
export const perSecondColumn = figureColumn<Figure>(PerSecond);
export const rateColumn = figureColumn<Figure>(Rate);
export const durationColumn = figureColumn<Figure>(Duration);
export const microsColumn = figureColumn<Figure>(Micros);

interface ActionsColumn<Row> {
  width: number;
  cell: (row: Row) => ReactNode;
}

/** The buttons of a row; always visible, never exported. */
export const actionsColumn = <Row,>(column: ActionsColumn<Row>): DataColumn<Row> => ({
  id: 'actions',
  header: '',
  align: 'right',
  pinned: true,
  value: null,
  ...column,
});
