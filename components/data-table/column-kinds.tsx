import type { ComponentType, ReactNode } from 'react';
import { Bytes, Count, Duration, PerSecond, Rate } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { RelativeTime } from '@/components/patterns/relative-time';
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

/** An id or fingerprint made by the console. */
export const codeColumn = <Row,>({ of, ...column }: ValueColumn<Row, string>): DataColumn<Row> => ({
  ...column,
  cell: (row) => <code>{of(row)}</code>,
  value: of,
});

interface TimeColumn<Row> extends ValueColumn<Row, string | null> {
  /** Shown without a time; "—" by default. */
  none?: string;
}

interface TimeKind {
  <Row>(column: TimeColumn<Row>): DataColumn<Row>;
  <Row>(column: Unnamed<TimeColumn<Row>>): ListColumn<Row>;
}

/** "2 min ago". */
export const timeColumn = (({ of, none, ...column }: TimeColumn<unknown>) => ({
  ...column,
  cell: (row: unknown) => (none !== undefined && of(row) === null ? none : <RelativeTime at={of(row)} />),
  value: of,
})) as TimeKind;

interface FigureKind {
  <Row>(column: ValueColumn<Row, number | null>): DataColumn<Row>;
  <Row>(column: Unnamed<ValueColumn<Row, number | null>>): ListColumn<Row>;
}

const figureColumn = (Figure: ComponentType<{ value: number | null }>) =>
  (({ of, ...column }: ValueColumn<unknown, number | null>) => ({
    ...column,
    align: 'right',
    cell: (row: unknown) => <Figure value={of(row)} />,
    value: of,
  })) as FigureKind;

export const countColumn = figureColumn(Count);
export const bytesColumn = figureColumn(Bytes);
export const perSecondColumn = figureColumn(PerSecond);
export const rateColumn = figureColumn(Rate);
export const durationColumn = figureColumn(Duration);

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
