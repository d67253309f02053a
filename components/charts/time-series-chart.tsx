'use client';

import { ActionIcon } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo, useState } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import { Tooltip } from '@/components/patterns/tooltip';
import { ChartEvents } from './chart-events';
import { ChartFigure } from './chart-figure';
import classes from './chart-figure.module.css';
import { ChartTable } from './chart-table';
import { type Sample, timeTicks, withGaps } from './gaps';
import type { LegendChoice } from './legend';
import { type ChartEvent, marksOf, type NumberedEvent, numbered } from './marks';
import type { Series } from './series';
import { pixelAt, type TimeAxis, type TimeRange, useTimeDrag } from './time-drag';
import { type AxisRules, NUMBERS, valueAxis } from './value-axis';

interface Plotted {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  series: Series[];
  points: Sample[];
  /** The distance of two samples; more than 1.5 times that is a gap. */
  stepMs: number;
  /** Whether each value is valid until the next sample (`steppedSamples`), which then also marks gaps. */
  stepped?: boolean;
  /** The ends of the axis in epoch ms, independent of the samples. */
  from: number;
  to: number;
  /** What the values can be; by default numbers from zero. */
  axis?: AxisRules;
  format: (value: number | null) => string;
  /** At least; the picture fills its panel. */
  height?: number;
  /** The available lines: the legend then also selects them. */
  choice?: LegendChoice;
  selected?: TimeRange | null;
  /** Dragging over the chart selects a range; otherwise it zooms. The caller also offers time fields, for keyboards. */
  onSelect?: ((range: TimeRange) => void) | undefined;
}

interface TimeSeriesChartProps extends Plotted {
  /** Names the exported file. */
  name: string;
  /** A separate table, where one of the samples would not be readable. */
  table?: ReactNode;
  /** Listed below the picture where there may be some. */
  events?: ChartEvent[];
  /** Controls that select the series, at the left of the picture's head. */
  controls?: ReactNode;
  /** Lines on an axis of their own below the others. */
  below?: Pick<Plotted, 'label' | 'series' | 'axis' | 'format'>;
}

const AXIS_WIDTH = 66;
const RIGHT_MARGIN = 8;
const HEIGHT = 250;
const BELOW_HEIGHT = 96;
const MIN_ZOOM_STEPS = 3;
const NO_EVENTS: NumberedEvent[] = [];
const Lines = onDemand(async () => (await import('./lines')).Lines, 'shown');

const zoneOffset = (at: number) => -new Date(at).getTimezoneOffset() * 60_000;

/**
 * Lines over time. Gaps stay gaps, events are numbered lines that are listed below, and a button shows the values as a
 * table. The value axis spans what is shown, with a break where it does not begin at zero.
 */
export const TimeSeriesChart = (props: TimeSeriesChartProps) => {
  const { events, below, onSelect, selected = null } = props;
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const zoomed = zoom !== null && zoom.from < props.to && zoom.to > props.from ? zoom : null;
  const { from, to } = zoomed ?? props;
  const zoomTo = (range: TimeRange) => {
    if (range.to - range.from >= MIN_ZOOM_STEPS * props.stepMs) setZoom(range);
  };
  const shown = useMemo(() => events && numbered(events, from, to), [events, from, to]);
  const plot = { ...props, from, to, events: shown ?? NO_EVENTS, onSelect: onSelect ?? zoomTo };
  return (
    <ChartFigure
      label={props.label}
      series={props.series}
      choice={props.choice}
      controls={props.controls}
      tools={
        <>
          {selected && <Zoom does="zoomIn" onClick={() => zoomTo(selected)} />}
          {zoomed && <Zoom does="zoomOut" onClick={() => setZoom(null)} />}
        </>
      }
      table={props.table ?? <ChartTable {...props} />}
    >
      <Plot {...plot} />
      {below && (
        <>
          <div className={classes.belowName}>{below.series.map(({ name }) => name).join(', ')}</div>
          <Plot {...plot} {...below} axis={below.axis ?? NUMBERS} height={BELOW_HEIGHT} fixed />
        </>
      )}
      {shown && <ChartEvents events={shown} span={to - from} />}
    </ChartFigure>
  );
};

const Zoom = ({ does, onClick }: { does: 'zoomIn' | 'zoomOut'; onClick: () => void }) => {
  const t = useTranslations('charts');
  return (
    <Tooltip label={t(does)}>
      <ActionIcon aria-label={t(does)} onClick={onClick}>
        {does === 'zoomIn' ? <IconZoomIn size={18} /> : <IconZoomOut size={18} />}
      </ActionIcon>
    </Tooltip>
  );
};

/** The values that are drawn between two times, with those just outside, to which lines lead. */
const valuesIn = ({ points, series, from, to, stepMs }: Omit<Plotted, 'label' | 'format'>): number[] =>
  points
    .filter(({ at }) => at >= from - stepMs && at <= to + stepMs)
    .flatMap((point) => series.map(({ id }) => point[id]))
    .filter((value) => typeof value === 'number');

interface PlotProps extends Plotted {
  events: readonly NumberedEvent[];
  onSelect: (range: TimeRange) => void;
  /** Does not grow with its panel. */
  fixed?: boolean;
}

const Plot = (props: PlotProps) => {
  const { series, points, stepMs, stepped = false, from, to, events, format, height = HEIGHT } = props;
  const { ref, width, height: drawnHeight } = useElementSize();
  const data = useMemo(() => (stepped ? [...points] : withGaps(points, stepMs)), [points, stepMs, stepped]);
  const { axis: rules } = props;
  // Thousands of points, which each movement of a drag must not go through again.
  const values = useMemo(
    () => valueAxis(valuesIn({ points, series, from, to, stepMs }), rules),
    [points, series, from, to, stepMs, rules],
  );
  const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 90)), zoneOffset(to));
  const axis = { left: AXIS_WIDTH, right: RIGHT_MARGIN, from, to };
  const { handlers, dragged } = useTimeDrag(axis, props.onSelect);
  const marks = marksOf(events, from, to, Math.max(1, width - AXIS_WIDTH));
  return (
    <div
      ref={ref}
      className={classes.picture}
      style={{ minHeight: height, flexGrow: props.fixed ? 0 : 1 }}
      role="img"
      aria-label={props.label}
      data-from={from}
      data-to={to}
      {...handlers}
    >
      {width > 0 && (
        <div className={classes.drawing}>
          <Lines
            series={series}
            data={data}
            marks={marks}
            ticks={ticks}
            axis={axis}
            values={values}
            stepped={stepped}
            format={format}
            highlighted={props.choice?.highlighted ?? null}
            width={width}
            height={Math.max(height, drawnHeight)}
          />
        </div>
      )}
      {width > 0 && <Range pixels={dragged ?? pixelsOf(props.selected ?? null, width, axis)} />}
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
