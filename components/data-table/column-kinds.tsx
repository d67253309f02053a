import type { ComponentType, ReactNode } from 'react';
import { Bytes, Count, Duration, Micros, PerSecond, Rate } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import type { DataColumn, ListColumn } from './columns';

/** A column of one plain value, shown and exported. */
interface ValueColumn<Row, Value> extends Omit<DataColumn<Row>, 'cell' | 'value' | 'align'> {
  of: (row: Row) => Value;
}

interface TextColumn<Row> extends ValueColumn<Row, string | null> {
  /** Number of characters before the rest is cut. */
  max?: number;
}

type Unnamed<Column> = Omit<Column, 'header'>;

/** Makes a column with a header, or one for a list, which uses the list's texts. */
interface TextKind {
  <Row>(column: TextColumn<Row>): DataColumn<Row>;
  <Row>(column: Unnamed<TextColumn<Row>>): ListColumn<Row>;
}

const textKind = (Shown: typeof HostileText, length: number) =>
  (({ of, max = length, ...column }: TextColumn<unknown>) => ({
    ...column,
    cell: (row: unknown) => <Shown max={max}>{of(row)}</Shown>,
    value: of,
  })) as TextKind;

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
  column: Given & Omit<ListColumn<Row>, 'id' | 'cell' | 'value'>,
): Given & ListColumn<Row> => ({
  id: 'key',
  pinned: true,
  ...column,
  cell: ({ keyId, key }) => (
    <KeyLink keyId={keyId} max={80}>
      {key}
    </KeyLink>
  ),
  value: ({ key }) => key,
});

interface CodeKind {
  <Row>(column: ValueColumn<Row, string>): DataColumn<Row>;
  <Row>(column: Unnamed<ValueColumn<Row, string>>): ListColumn<Row>;
}

/** An id or fingerprint made by the console. */
export const codeColumn = (({ of, ...column }: ValueColumn<unknown, string>) => ({
  ...column,
  cell: (row: unknown) => <code>{of(row)}</code>,
  value: of,
})) as CodeKind;

interface TimeColumn<Row> extends ValueColumn<Row, string | null> {
  /** Shown without a time; "—" by default. */
  none?: string;
  /** The date and time instead of "2 min ago". */
  absolute?: boolean;
}

interface TimeKind {
  <Row>(column: TimeColumn<Row>): DataColumn<Row>;
  <Row>(column: Unnamed<TimeColumn<Row>>): ListColumn<Row>;
}

/** "2 min ago". */
export const timeColumn = (({ of, none, absolute = false, ...column }: TimeColumn<unknown>) => {
  const Time = absolute ? AbsoluteTime : RelativeTime;
  return {
    ...column,
    cell: (row: unknown) => (none !== undefined && of(row) === null ? none : <Time at={of(row)} />),
    value: of,
  };
}) as TimeKind;

interface FigureKind<Value> {
  <Row>(column: ValueColumn<Row, Value>): DataColumn<Row>;
  <Row>(column: Unnamed<ValueColumn<Row, Value>>): ListColumn<Row>;
}

type Figure = number | null;

const figureColumn = <Value extends Figure | string>(Shown: ComponentType<{ value: Value }>) => {
  const column = ({ of, ...rest }: ValueColumn<unknown, Value>): DataColumn<unknown> => ({
    ...rest,
    align: 'right',
    cell: (row) => <Shown value={of(row)} />,
    value: of,
  });
  return column as FigureKind<Value>;
};

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
  ...column,
});
