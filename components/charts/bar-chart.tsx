'use client';

import { useElementSize } from '@mantine/hooks';
import { useMemo } from 'react';
import { Bar, CartesianGrid, BarChart as Chart, LabelList, Tooltip, XAxis, YAxis } from 'recharts';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { ChartFigure } from './chart-figure';
import classes from './chart-figure.module.css';

export interface BarOf {
  /** Names the bar; unique. */
  name: string;
  value: number;
  /** Its name on the axis, if shorter. */
  tick?: string;
}

interface BarChartProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  /** The table's headers: what a bar is, and what its length means. */
  headers: { name: string; value: string };
  bars: BarOf[];
  format: (value: number) => string;
  height?: number;
  /** For many bars: names only where there is room, values only in the tooltip. */
  dense?: boolean;
}

/** The name of a bar on the axis. Not by the index of the tick: where there is little room, only some bars have one. */
export const tickOf = (bars: readonly BarOf[], name: string): string =>
  bars.find((bar) => bar.name === name)?.tick ?? name;

const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 };
const ONE_LENGTH = 2;

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
        value: (bar) => bar.name,
      },
      {
        id: 'value',
        header: headers.value,
        align: 'right',
        cell: (bar) => format(bar.value),
        value: (bar) => bar.value,
      },
    ],
    [headers, format],
  );
  return (
    <DataTable
      label={label}
      name={name}
      columns={columns}
      rows={bars}
      rowId={(bar) => bar.name}
      loading={false}
      empty={null}
    />
  );
};

const Picture = ({ label, headers, bars, format, height = 200, dense = false }: BarChartProps) => {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref} className={classes.picture} style={{ height }} role="img" aria-label={label}>
      {width > 0 && (
        <Chart
          data={bars}
          width={width}
          height={height}
          margin={{ top: 18, right: 8, bottom: 0, left: 8 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--kw-line)" />
          <XAxis
            dataKey="name"
            stroke="var(--kw-line-strong)"
            tick={TICK}
            tickFormatter={(name: string) => tickOf(bars, name)}
            interval={dense ? 'equidistantPreserveStart' : 0}
          />
          <YAxis hide domain={[0, 'auto']} />
          <Tooltip
            content={({ payload, label: bar }) => (
              <div className={classes.tooltip}>
                <div className={classes.quiet}>{bar}</div>
                <div className={classes.entry}>
                  {headers.value} <strong>{format(Number(payload?.[0]?.value ?? 0))}</strong>
                </div>
              </div>
            )}
            cursor={{ fill: 'var(--kw-row-hover)' }}
            isAnimationActive={false}
          />
          <Bar
            dataKey="value"
            fill="var(--kw-series-1)"
            minPointSize={(value) => (Number(value) > 0 ? ONE_LENGTH : 0)}
            maxBarSize={64}
            isAnimationActive={false}
          >
            {!dense && (
              <LabelList
                dataKey="value"
                position="top"
                formatter={(value) => format(Number(value))}
                fill="var(--mantine-color-dimmed)"
                fontSize={12}
              />
            )}
          </Bar>
        </Chart>
      )}
    </div>
  );
};
