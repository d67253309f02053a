'use client';

import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceLine,
  Tooltip,
  usePlotArea,
  XAxis,
  YAxis,
} from 'recharts';
import { useFormat } from '@/components/patterns/use-format';
import { ChartTooltip } from './chart-tooltip';
import { isIsolated, type Sample } from './gaps';
import type { Mark } from './marks';
import { type Series, strokeOf } from './series';
import type { TimeAxis } from './time-drag';
import type { ValueAxis } from './value-axis';

interface LinesProps {
  series: Series[];
  data: Sample[];
  marks: Mark[];
  ticks: number[];
  axis: TimeAxis;
  values: ValueAxis;
  stepped: boolean;
  format: (value: number | null) => string;
  highlighted: string | null;
  width: number;
  height: number;
}

const SMALL = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 };

/** The drawing of a chart over time. */
export const Lines = (props: LinesProps) => {
  const { series, data, marks, ticks, axis, values, stepped, format, highlighted, width, height } = props;
  const { from, to } = axis;
  const { tick } = useFormat();
  const type = stepped ? 'stepAfter' : 'linear';
  // Bands of several lines cover each other.
  const banded = series.length === 1 ? series[0] : series.find(({ id }) => id === highlighted);
  const filled = series.length === 1 && !banded?.band && !values.cut;
  return (
    <ComposedChart
      data={data}
      width={width}
      height={height}
      margin={{ top: 16, right: axis.right, bottom: 0, left: 0 }}
    >
      <CartesianGrid vertical={false} stroke="var(--kw-line)" />
      <XAxis
        dataKey="at"
        type="number"
        domain={[from, to]}
        ticks={ticks}
        tickFormatter={(at: number) => tick(at, to - from)}
        allowDataOverflow
        stroke="var(--kw-line-strong)"
        tick={SMALL}
      />
      <YAxis
        domain={[values.from, values.to]}
        ticks={values.ticks}
        allowDataOverflow
        tickFormatter={format}
        width={axis.left}
        axisLine={false}
        tickLine={false}
        tick={SMALL}
      />
      <Tooltip
        content={(state) => (
          <ChartTooltip series={series} format={format} at={state.label} payload={state.payload} />
        )}
        cursor={{ stroke: 'var(--kw-line-strong)' }}
        isAnimationActive={false}
      />
      {marks.map(({ number, at, text }) => (
        <ReferenceLine
          key={number}
          x={at}
          stroke="var(--mantine-color-dimmed)"
          strokeDasharray="4 3"
          {...(text && { label: { value: text, position: 'top', ...SMALL } })}
        />
      ))}
      {banded?.band && (
        <Area
          dataKey={(sample: Sample) => bandOf(sample, banded.band!)}
          type={type}
          stroke="none"
          fill={strokeOf(banded)}
          fillOpacity={0.15}
          activeDot={false}
          connectNulls={false}
          isAnimationActive={false}
        />
      )}
      {series.map(({ id, name, muted = false, dash, ...style }) => (
        <Area
          key={id}
          dataKey={id}
          name={name}
          type={type}
          stroke={strokeOf(style)}
          strokeWidth={highlighted === id ? 3 : muted ? 1.5 : 2}
          strokeOpacity={highlighted === null || highlighted === id ? 1 : 0.25}
          {...(dash && { strokeDasharray: dash })}
          fill={strokeOf(style)}
          fillOpacity={filled ? 0.08 : 0}
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
      {values.cut && <AxisCut />}
    </ComposedChart>
  );
};

/** The break in an axis that does not begin at zero. */
const AxisCut = () => {
  const area = usePlotArea();
  if (!area) return null;
  const [x, y] = [area.x, area.y + area.height];
  return (
    <path
      data-testid="axis-cut"
      d={`M${x} ${y}v-4l-5-3 10-4-5-3v-6`}
      fill="none"
      stroke="var(--mantine-color-dimmed)"
      strokeWidth={1.5}
    />
  );
};

const bandOf = (sample: Sample, { low, high }: NonNullable<Series['band']>): [number, number] | null => {
  const [from, to] = [sample[low], sample[high]];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : null;
};
