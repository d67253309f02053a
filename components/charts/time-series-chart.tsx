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
import type { LegendChoice } from './legend';
import { type ChartEvent, marksOf } from './marks';
import { type Series, strokeOf } from './series';
import { pixelAt, type TimeAxis, type TimeRange, useTimeDrag } from './time-drag';

interface TimeSeriesChartProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  series: Series[];
  points: Sample[];
  /** The distance of two samples; more than 1.5 of it apart is a gap. */
  stepMs: number;
  /** Each value holds until the next sample (`steppedSamples`), which then also says where gaps are. */
  stepped?: boolean;
  /** A table of its own, where that of the samples would not be readable. */
  table?: ReactNode;
  /** The ends of the axis in epoch ms, whatever was sampled. */
  from: number;
  to: number;
  events?: ChartEvent[];
  /** `rate`: 0–100 %. `zero`: from 0 to the largest value. */
  domain: 'rate' | 'zero';
  /** Integers only: no tick between two of them. */
  whole?: boolean;
  format: (value: number | null) => string;
  height?: number;
  /** What chooses the series, at the left of the picture's head. */
  controls?: ReactNode;
  /** The lines that can be drawn: the legend then also chooses them. */
  choice?: LegendChoice;
  /** A marked range of time. */
  selected?: TimeRange | null;
  /** Dragging over the chart selects a range. The caller offers time fields as well, for the keyboard. */
  onSelect?: ((range: TimeRange) => void) | undefined;
}

const AXIS_WIDTH = 66;
const RIGHT_MARGIN = 8;
const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1];
const zoneOffset = (at: number) => -new Date(at).getTimezoneOffset() * 60_000;

/** Lines over time. Gaps stay gaps, events are labelled vertical lines, and a button shows the values as a table. */
export const TimeSeriesChart = (props: TimeSeriesChartProps) => (
  <ChartFigure
    label={props.label}
    series={props.series}
    choice={props.choice}
    controls={props.controls}
    table={props.table ?? <ChartTable {...props} />}
  >
    <Plot {...props} />
  </ChartFigure>
);

const Plot = (props: TimeSeriesChartProps) => {
  const {
    series,
    points,
    stepMs,
    stepped = false,
    from,
    to,
    events = [],
    domain,
    whole = false,
    format,
    height = 250,
    selected = null,
    onSelect,
  } = props;
  const { ref, width } = useElementSize();
  const { locale } = useFormat();
  const data = useMemo(() => (stepped ? [...points] : withGaps(points, stepMs)), [points, stepMs, stepped]);
  const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 90)), zoneOffset(to));
  const axis = { left: AXIS_WIDTH, right: RIGHT_MARGIN, from, to };
  const { handlers, dragged } = useTimeDrag(axis, onSelect);
  const highlighted = props.choice?.highlighted ?? null;
  const marks = marksOf(events, from, to, Math.max(1, width - AXIS_WIDTH));
  return (
    <div
      ref={ref}
      className={classes.picture}
      style={{ height }}
      role="img"
      aria-label={props.label}
      data-selects={onSelect && true}
      data-from={from}
      data-to={to}
      {...handlers}
    >
      {width > 0 && (
        <ComposedChart
          data={data}
          width={width}
          height={height}
          margin={{ top: 14, right: RIGHT_MARGIN, bottom: 0, left: 0 }}
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
          {series.map(({ id, band, ...style }) =>
            band ? (
              <Area
                key={`${id} band`}
                dataKey={(sample: Sample) => bandOf(sample, band)}
                type={stepped ? 'stepAfter' : 'linear'}
                stroke="none"
                fill={strokeOf(style)}
                fillOpacity={opacityOf(id, highlighted, highlighted === id ? 0.2 : 0.1)}
                activeDot={false}
                connectNulls={false}
                isAnimationActive={false}
              />
            ) : null,
          )}
          {series.map(({ id, name, muted = false, dash, ...style }) => (
            <Area
              key={id}
              dataKey={id}
              name={name}
              type={stepped ? 'stepAfter' : 'linear'}
              stroke={strokeOf(style)}
              strokeWidth={highlighted === id ? 3 : muted ? 1.5 : 2}
              strokeOpacity={opacityOf(id, highlighted, 1)}
              {...(dash && { strokeDasharray: dash })}
              fill={strokeOf(style)}
              fillOpacity={series.length === 1 && !series[0]!.band ? 0.08 : 0}
              dot={({ key, cx, cy, index }) =>
                !stepped && isIsolated(data, index, id) ? (
                  <circle key={key} cx={cx} cy={cy} r={2.5} fill={strokeOf(style)} />
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
      {width > 0 && <Range pixels={dragged ?? pixelsOf(selected, width, axis)} />}
    </div>
  );
};

const bandOf = (sample: Sample, { low, high }: NonNullable<Series['band']>): [number, number] | null => {
  const [from, to] = [sample[low], sample[high]];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : null;
};

/** While one line stands out the others fade. */
const opacityOf = (id: string, highlighted: string | null, full: number): number =>
  highlighted === null || highlighted === id ? full : full / 4;

interface Pixels {
  left: number;
  right: number;
}

const pixelsOf = (range: TimeRange | null, width: number, axis: TimeAxis): Pixels | null =>
  range && range.to > axis.from && range.from < axis.to
    ? { left: pixelAt(range.from, width, axis), right: pixelAt(range.to, width, axis) }
    : null;

const Range = ({ pixels }: { pixels: Pixels | null }) =>
  pixels && (
    <div
      className={classes.range}
      data-testid="chart-range"
      style={{ left: pixels.left, width: pixels.right - pixels.left }}
    />
  );
