'use client';

import { useElementSize } from '@mantine/hooks';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { onDemand } from '@/components/patterns/on-demand';
import type { BarOf } from './bars';
import { ChartFigure } from './chart-figure';
import classes from './chart-figure.module.css';

export type { BarOf };

interface BarChartProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  /** The table's headers: what a bar represents, and what its length means. */
  headers: { name: string; value: string };
  bars: BarOf[];
  format: (value: number) => string;
  height?: number;
  /** For many bars: names only where they fit, values only in the tooltip. */
  dense?: boolean;
}

const Bars = onDemand(async () => (await import('./bars')).Bars, 'shown');

/** A bar for each of a few things, in the given order. A value above 0 is always visible. */
export const BarChart = (props: BarChartProps) => (
  <ChartFigure label={props.label} table={<BarTable {...props} />}>
    <Picture {...props} />
  </ChartFigure>
);

const BarTable = ({ label, name, headers, bars, format }: BarChartProps) => {
  const columns = useMemo<DataColumn<BarOf>[]>(
    () => [
      {
        id: 'name',
        header: headers.name,
        pinned: true,
      },
      {
        id: 'value',
        header: headers.value,
        align: 'right',
        cell: (bar) => format(bar.value),
      },
    ],
    [headers, format],
  );
  return <DataTable label={label} name={name} columns={columns} rows={bars} rowId={(bar) => bar.name} />;
};

const Picture = ({ label, headers, bars, format, height = 200, dense = false }: BarChartProps) => {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref} className={classes.picture} style={{ height }} role="img" aria-label={label}>
      {width > 0 && <Bars {...{ bars, format, width, height, dense }} valueName={headers.value} />}
    </div>
  );
};
