'use client';

import { useFormat } from '@/components/patterns/use-format';
import classes from './chart-figure.module.css';
import type { Sample } from './gaps';
import type { Series } from './series';
import { SeriesMark } from './series-mark';

interface ChartTooltipProps {
  series: readonly Series[];
  format: (value: number | null) => string;
  at: unknown;
  /** One entry per drawn area; each carries the sample under the pointer. */
  payload: readonly { payload?: unknown }[] | undefined;
}

export const ChartTooltip = ({ series, format, at, payload }: ChartTooltipProps) => {
  const { absolute } = useFormat();
  const sample = payload?.[0]?.payload as Sample | undefined;
  if (typeof at !== 'number' || !sample) return null;
  return (
    <div className={classes.tooltip}>
      <div className={classes.quiet}>{absolute(at)}</div>
      {series.map((line) => (
        <div key={line.id} className={classes.entry}>
          <SeriesMark style={line} />
          {line.name} <strong>{format(sample[line.id] ?? null)}</strong>
          <span className={classes.quiet}>{line.detail?.(sample)}</span>
        </div>
      ))}
    </div>
  );
};
