'use client';

import { Bar, CartesianGrid, BarChart as Chart, LabelList, Tooltip, XAxis, YAxis } from 'recharts';
import classes from './chart-figure.module.css';

export interface BarOf {
  /** Names the bar; unique. */
  name: string;
  value: number;
  /** Its name on the axis, if shorter. */
  tick?: string;
}

/**
 * The name of a bar on the axis. Not looked up by the tick's index, because only some bars have a tick where space is
 * scarce.
 */
export const tickOf = (bars: readonly BarOf[], name: string): string =>
  bars.find((bar) => bar.name === name)?.tick ?? name;

const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 };
const ONE_LENGTH = 2;

interface BarsProps {
  bars: BarOf[];
  format: (value: number) => string;
  /** What the length of a bar means. */
  valueName: string;
  width: number;
  height: number;
  dense: boolean;
}

/** The drawing of a bar chart. */
export const Bars = ({ bars, format, valueName, width, height, dense }: BarsProps) => (
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
      interval="equidistantPreserveStart"
      minTickGap={8}
    />
    <YAxis hide domain={[0, 'auto']} />
    <Tooltip
      content={({ payload, label: bar }) => (
        <div className={classes.tooltip}>
          <div className={classes.quiet}>{bar}</div>
          <div className={classes.entry}>
            {valueName} <strong>{format(Number(payload?.[0]?.value ?? 0))}</strong>
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
);
