'use client';

import { Text } from '@mantine/core';
import type { DataColumn } from '@/components/data-table/columns';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';

/** What every row of a report has. */
export interface ReportRow {
  keys: number;
  memoryBytes: number | null;
  change: AnalysisReport['change'];
}

/** "+1,200", "−3 MiB"; nothing changed is "0". */
export const signedWith =
  (write: (value: number) => string) =>
  (value: number | null | undefined): string => {
    if (value === null || value === undefined) return '—';
    if (value === 0) return write(0);
    return `${value > 0 ? '+' : '\u2212'}${write(Math.abs(value))}`;
  };

const Growth = ({ value, bytes = false }: { value: number | null; bytes?: boolean }) => {
  const format = useFormat();
  return (
    <Text span size="sm" c={value ? undefined : 'dimmed'} fw={value ? 600 : 400}>
      {signedWith(bytes ? format.bytes : format.count)(value)}
    </Text>
  );
};

const keysGrown = ({ change }: ReportRow): number | null => change?.keys ?? null;
const memoryGrown = ({ change }: ReportRow): number | null => change?.memoryBytes ?? null;

/** Figures by which rows can be ordered. */
export const FIGURES = { keysGrown, memoryGrown };

/** The columns of a comparison: by how much a row grew or shrank. */
export const growthColumns = <Row extends ReportRow>(words: {
  keys: string;
  memory: string;
  sortable?: boolean;
}): DataColumn<Row>[] => {
  const { sortable = false } = words;
  return [
    {
      id: 'keysGrown',
      header: words.keys,
      width: 90,
      align: 'right',
      sortable,
      cell: (row) => <Growth value={keysGrown(row)} />,
      value: keysGrown,
    },
    {
      id: 'memoryGrown',
      header: words.memory,
      width: 110,
      align: 'right',
      sortable,
      cell: (row) => <Growth value={memoryGrown(row)} bytes />,
      value: memoryGrown,
    },
  ];
};
