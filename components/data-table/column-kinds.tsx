import type { ComponentType, ReactNode } from 'react';
import { Bytes, Count, PerSecond, Rate } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { DataColumn } from './columns';

/** A column of one plain value, shown and exported. */
interface ValueColumn<Row, Value> extends Omit<DataColumn<Row>, 'cell' | 'value' | 'align'> {
  of: (row: Row) => Value;
}

interface TextColumn<Row> extends ValueColumn<Row, string | null> {
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** Text from users or applications, shown safely. */
export const textColumn = <Row,>({ of, max = 60, ...column }: TextColumn<Row>): DataColumn<Row> => ({
  ...column,
  cell: (row) => <HostileText max={max}>{of(row)}</HostileText>,
  value: of,
});

/** A key, pattern or address, in monospace. */
export const keyColumn = <Row,>({ of, max = 120, ...column }: TextColumn<Row>): DataColumn<Row> => ({
  ...column,
  cell: (row) => <KeyText max={max}>{of(row)}</KeyText>,
  value: of,
});

interface NamedKey {
  keyId: string;
  key: string;
}

/** The name of a key, which leads to the inspector; cut on the page. */
export const keyLinkColumn = <Row extends NamedKey>(
  column: Omit<DataColumn<Row>, 'id' | 'cell' | 'value'>,
): DataColumn<Row> => ({
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
  /** Shown when there is no time; "—" unless given. */
  none?: string;
}

/** "2 min ago". */
export const timeColumn = <Row,>({ of, none, ...column }: TimeColumn<Row>): DataColumn<Row> => ({
  ...column,
  cell: (row) => (none !== undefined && of(row) === null ? none : <RelativeTime at={of(row)} />),
  value: of,
});

const figureColumn =
  (Figure: ComponentType<{ value: number | null }>) =>
  <Row,>({ of, ...column }: ValueColumn<Row, number | null>): DataColumn<Row> => ({
    ...column,
    align: 'right',
    cell: (row) => <Figure value={of(row)} />,
    value: of,
  });

export const countColumn = figureColumn(Count);
export const bytesColumn = figureColumn(Bytes);
export const perSecondColumn = figureColumn(PerSecond);
export const rateColumn = figureColumn(Rate);

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
