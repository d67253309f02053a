'use client';

import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { Area, CartesianGrid, ComposedChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormat } from '@/components/patterns/use-format';
import { formatTick } from '@/lib/format';
import { ChartFigure } from './chart-figure';
import classes from './chart-figure.module.css';
import { ChartTable } from './chart-table';
import { ChartTooltip } from './chart-tooltip';
import { isIsolated, type Sample, timeTicks, withGaps } from './gaps';
import { type ChartEvent, marksOf } from './marks';
import type { Series } from './series';

interface TimeSeriesChartProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  series: Series[];
  points: Sample[];
  /** The distance of two samples; more than 1.5 of it apart is a gap. */
  stepMs: number;
  /** The axis's ends in epoch ms: a picture of the last hour shows an hour, whatever was sampled. */
  from: number;
  to: number;
  events?: ChartEvent[];
  /** `rate`: 0–100 %. `zero`: from 0 to what is needed. */
  domain: 'rate' | 'zero';
  /** Counts of whole things: no tick between two of them. */
  whole?: boolean;
  format: (value: number | null) => string;
  height?: number;
  /** What chooses the series, at the left of the picture's head. */
  controls?: ReactNode;
}

const AXIS_WIDTH = 66;
const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1];
const zoneOffset = (at: number) => -new Date(at).getTimezoneOffset() * 60_000;

/** Lines over time. Gaps stay gaps, events are lines with a word, the figures are one button away. */
export const TimeSeriesChart = (props: TimeSeriesChartProps) => (
  <ChartFigure
    label={props.label}
    series={props.series}
    controls={props.controls}
    table={<ChartTable {...props} />}
  >
    <Picture {...props} />
  </ChartFigure>
);

const Picture = (props: TimeSeriesChartProps) => {
  const {
    series,
    points,
    stepMs,
    from,
    to,
    events = [],
    domain,
    whole = false,
    format,
    height = 250,
  } = props;
  const { ref, width } = useElementSize();
  const { locale } = useFormat();
  const data = useMemo(() => withGaps(points, stepMs), [points, stepMs]);
  const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 90)), zoneOffset(to));
  const marks = marksOf(events, from, to, Math.max(1, width - AXIS_WIDTH));
  return (
    <div ref={ref} className={classes.picture} style={{ height }} role="img" aria-label={props.label}>
      {width > 0 && (
        <ComposedChart
          data={data}
          width={width}
          height={height}
          margin={{ top: 14, right: 8, bottom: 0, left: 0 }}
        >
          <CartesianGrid vertical={false} stroke="var(--kw-line)" />
          <XAxis
            dataKey="at"
            type="number"
            domain={[from, to]}
            ticks={ticks}
            tickFormatter={(at: number) => formatTick(at, to - from, locale)}
            allowDataOverflow
            stroke="var(--kw-line-strong)"
            tick={{ fill: 'var(--mantine-color-dimmed)', fontSize: 12 }}
          />
          <YAxis
            domain={domain === 'rate' ? [0, 1] : [0, 'auto']}
            {...(domain === 'rate' ? { ticks: RATE_TICKS } : {})}
            allowDecimals={!whole}
            tickFormatter={format}
            width={AXIS_WIDTH}
            axisLine={false}
            tickLine={false}
            tick={{ fill: 'var(--mantine-color-dimmed)', fontSize: 12 }}
          />
          <Tooltip
            content={(state) => (
              <ChartTooltip series={series} format={format} at={state.label} payload={state.payload} />
            )}
            cursor={{ stroke: 'var(--kw-line-strong)' }}
            isAnimationActive={false}
          />
          {marks.map((mark) => (
            <ReferenceLine
              key={`${mark.at} ${mark.label}`}
              x={mark.at}
              stroke="var(--mantine-color-dimmed)"
              strokeDasharray="4 3"
              label={{
                value: mark.label,
                position: mark.side === 'after' ? 'insideBottomLeft' : 'insideBottomRight',
                fontSize: 11,
                fill: 'var(--mantine-color-dimmed)',
              }}
            />
          ))}
          {series.map(({ id, name, color, dashed = false }) => (
            <Area
              key={id}
              dataKey={id}
              name={name}
              type="linear"
              stroke={`var(--kw-series-${color})`}
              strokeWidth={dashed ? 1.5 : 2}
              {...(dashed && { strokeDasharray: '5 4' })}
              fill={`var(--kw-series-${color})`}
              fillOpacity={dashed || series.length > 2 ? 0 : 0.08}
              dot={({ key, cx, cy, index }) =>
                isIsolated(data, index, id) ? (
                  <circle key={key} cx={cx} cy={cy} r={2.5} fill={`var(--kw-series-${color})`} />
                ) : (
                  <g key={key} />
                )
              }
              connectNulls={false}
              isAnimationActive={false}
            />
          ))}
        </ComposedChart>
      )}
    </div>
  );
};
