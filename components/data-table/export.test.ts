import { describe, expect, it } from 'vitest';
import type { DataColumn } from './columns';
import { toCsv, toJson } from './export';

type Row = { name: string; hits: number | null };
const columns: DataColumn<Row>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, value: (row) => row.name },
  { id: 'hits', header: 'Hits, total' },
  { id: 'actions', header: '', cell: () => null, value: null },
];

describe('export of a table', () => {
  it('quotes what needs quotes and leaves unknown cells empty', () => {
    const rows = [{ name: 'a "b", c\nd', hits: null }];
    expect(toCsv(columns, rows)).toBe('Name,"Hits, total"\r\n"a ""b"", c\nd",\r\n');
  });

  it('does not hand a formula to a spreadsheet', () => {
    const rows = ['=1+1', '@SUM(A1)', '+1', '-1'].map((name) => ({ name, hits: -3 }));
    const wide = ['＝1+1', '＋1', '－1', '＠SUM(A1)'].map((name) => ({ name, hits: 0 }));
    for (const line of toCsv(columns, wide).split('\r\n').slice(1, 5)) expect(line).toMatch(/^'/);
    expect(toCsv(columns, rows).split('\r\n').slice(1, 5)).toEqual([
      "'=1+1,-3",
      "'@SUM(A1),-3",
      "'+1,-3",
      "'-1,-3",
    ]);
  });

  it('writes JSON by column id', () => {
    expect(JSON.parse(toJson(columns, [{ name: '<script>', hits: 2 }]))).toEqual([
      { name: '<script>', hits: 2 },
    ]);
  });
});
