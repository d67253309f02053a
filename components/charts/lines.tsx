'use client';

import { Area, CartesianGrid, ComposedChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormat } from '@/components/patterns/use-format';
import { formatTick } from '@/lib/format';
import { ChartTooltip } from './chart-tooltip';
import { isIsolated, type Sample } from './gaps';
import type { Mark } from './marks';
import { type Series, strokeOf } from './series';
import type { TimeAxis } from './time-drag';

interface LinesProps {
  series: Series[];
  data: Sample[];
  marks: Mark[];
  ticks: number[];
  axis: TimeAxis;
  domain: 'rate' | 'zero';
  whole: boolean;
  stepped: boolean;
  format: (value: number | null) => string;
  highlighted: string | null;
  width: number;
  height: number;
}

const RATE_TICKS = [0, 0.25, 0.5, 0.75, 1];

/** The drawing of a chart over time. */
export const Lines = (props: LinesProps) => {
  const { series, data, marks, ticks, axis, domain, whole, stepped, format, highlighted, width, height } =
    props;
  const { from, to } = axis;
  const { locale } = useFormat();
  return (
    <ComposedChart
      data={data}
      width={width}
      height={height}
      margin={{ top: 14, right: axis.right, bottom: 0, left: 0 }}
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
        width={axis.left}
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
  );
};

const bandOf = (sample: Sample, { low, high }: NonNullable<Series['band']>): [number, number] | null => {
  const [from, to] = [sample[low], sample[high]];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : null;
};

/** While one line is highlighted the others fade. */
const opacityOf = (id: string, highlighted: string | null, full: number): number =>
  highlighted === null || highlighted === id ? full : full / 4;
