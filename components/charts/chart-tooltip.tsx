'use client';

import type { CSSProperties } from 'react';
import { useFormat } from '@/components/patterns/use-format';
import classes from './chart-figure.module.css';
import type { Series } from './series';

interface ChartTooltipProps {
  series: readonly Series[];
  format: (value: number | null) => string;
  at: unknown;
  payload: readonly { dataKey?: unknown; value?: unknown }[] | undefined;
}

export const ChartTooltip = ({ series, format, at, payload }: ChartTooltipProps) => {
  const { absolute } = useFormat();
  if (typeof at !== 'number') return null;
  const shownOf = (id: string) => {
    const value = payload?.find((entry) => entry.dataKey === id)?.value;
    return format(typeof value === 'number' ? value : null);
  };
  return (
    <div className={classes.tooltip}>
      <div className={classes.quiet}>{absolute(at)}</div>
      {series.map(({ id, name, color, dashed }) => (
        <div key={id} className={classes.entry}>
          <i
            style={{ '--color': `var(--kw-series-${color})` } as CSSProperties}
            data-dashed={dashed || undefined}
          />
          {name} <strong>{shownOf(id)}</strong>
        </div>
      ))}
    </div>
  );
};
