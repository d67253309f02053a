'use client';

import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import { ChartFigure } from './chart-figure';
import classes from './chart-figure.module.css';
import { ChartTable } from './chart-table';
import { type Sample, timeTicks, withGaps } from './gaps';
import type { LegendChoice } from './legend';
import { type ChartEvent, marksOf } from './marks';
import type { Series } from './series';
import { pixelAt, type TimeAxis, type TimeRange, useTimeDrag } from './time-drag';

interface TimeSeriesChartProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  series: Series[];
  points: Sample[];
  /** The distance of two samples; more than 1.5 times that is a gap. */
  stepMs: number;
  /** Whether each value is valid until the next sample (`steppedSamples`), which then also marks gaps. */
  stepped?: boolean;
  /** A separate table, where one of the samples would not be readable. */
  table?: ReactNode;
  /** The ends of the axis in epoch ms, independent of the samples. */
  from: number;
  to: number;
  events?: ChartEvent[];
  /** `rate`: 0–100 %. `zero`: from 0 to the largest value. */
  domain: 'rate' | 'zero';
  /** Integers only: no ticks between two of them. */
  whole?: boolean;
  format: (value: number | null) => string;
  height?: number;
  /** Controls that select the series, at the left of the picture's head. */
  controls?: ReactNode;
  /** The available lines: the legend then also selects them. */
  choice?: LegendChoice;
  selected?: TimeRange | null;
  /** Dragging over the chart selects a range. The caller also offers time fields, for keyboard users. */
  onSelect?: ((range: TimeRange) => void) | undefined;
}

const AXIS_WIDTH = 66;
const RIGHT_MARGIN = 8;
const Lines = onDemand(async () => (await import('./lines')).Lines, 'shown');

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
        <Lines
          {...{
            series,
            data,
            marks,
            ticks,
            axis,
            domain,
            whole,
            stepped,
            format,
            highlighted,
            width,
            height,
          }}
        />
      )}
      {width > 0 && <Range pixels={dragged ?? pixelsOf(selected, width, axis)} />}
    </div>
  );
};

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
