'use client';

import { ActionIcon, Group, Tooltip as Hint } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo, useState } from 'react';
import { Area, CartesianGrid, ComposedChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormat } from '@/components/patterns/use-format';
import { formatTick } from '@/lib/format';
import { ChartTable } from './chart-table';
import { ChartTooltip } from './chart-tooltip';
import { type Sample, timeTicks, withGaps } from './gaps';
import { type ChartEvent, marksOf } from './marks';
import type { Series } from './series';
import classes from './time-series-chart.module.css';

export interface TimeSeriesChartProps {
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
  format: (value: number | null) => string;
  height?: number;
  /** What chooses the series, at the left of the picture's head. */
  controls?: ReactNode;
}

const AXIS_WIDTH = 66;
const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1];
const zoneOffset = (at: number) => -new Date(at).getTimezoneOffset() * 60_000;

/** Lines over time. Gaps stay gaps, events are lines with a word, the figures are one button away. */
export const TimeSeriesChart = (props: TimeSeriesChartProps) => {
  const t = useTranslations('charts');
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.hidden}>{props.label}</figcaption>
      <Group gap="md" mb={4} wrap="nowrap">
        {props.controls}
        <div className={classes.legend}>
          {/* One line is named by the title. */}
          {props.series.length > 1 &&
            props.series.map((series) => (
              <span key={series.id} className={classes.entry}>
                <i style={{ background: `var(--kw-series-${series.color})` }} aria-hidden />
                {series.name}
              </span>
            ))}
        </div>
        <Hint label={t(asTable ? 'showChart' : 'showTable')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t(asTable ? 'showChart' : 'showTable')}
            aria-pressed={asTable}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? <IconChartLine size={18} /> : <IconTable size={18} />}
          </ActionIcon>
        </Hint>
      </Group>
      {asTable ? <ChartTable {...props} /> : <Picture {...props} />}
    </figure>
  );
};

const Picture = (props: TimeSeriesChartProps) => {
  const { series, points, stepMs, from, to, events = [], domain, format, height = 250 } = props;
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
          {series.map(({ id, name, color }) => (
            <Area
              key={id}
              dataKey={id}
              name={name}
              type="linear"
              stroke={`var(--kw-series-${color})`}
              strokeWidth={2}
              fill={`var(--kw-series-${color})`}
              fillOpacity={0.08}
              dot={false}
              connectNulls={false}
              isAnimationActive={false}
            />
          ))}
        </ComposedChart>
      )}
    </div>
  );
};
