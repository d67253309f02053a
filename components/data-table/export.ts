import { withoutFormula } from '@/lib/csv';
import { type DataColumn, plainValue } from './columns';

const csvCell = (value: string | number | boolean | null): string => {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = withoutFormula(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const exported = <Row>(columns: DataColumn<Row>[]) => columns.filter(({ value }) => value !== null);

/** RFC 4180 with the columns' headers; text that a spreadsheet would run is quoted with an apostrophe. */
export const toCsv = <Row>(columns: DataColumn<Row>[], rows: Row[]): string => {
  const shown = exported(columns);
  const lines = [shown.map((column) => csvCell(column.header))];
  for (const row of rows) lines.push(shown.map((column) => csvCell(plainValue(column, row))));
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
};

/** An array of objects, one a row, by column id. */
export const toJson = <Row>(columns: DataColumn<Row>[], rows: Row[]): string => {
  const shown = exported(columns);
  const items = rows.map((row) =>
    Object.fromEntries(shown.map((column) => [column.id, plainValue(column, row)])),
  );
  return `${JSON.stringify(items, null, 2)}\n`;
};
