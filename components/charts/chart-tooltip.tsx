'use client';

import { useFormat } from '@/components/patterns/use-format';
import classes from './time-series-chart.module.css';

interface ChartTooltipProps {
  series: { id: string; name: string; color: number }[];
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
      {series.map(({ id, name, color }) => (
        <div key={id} className={classes.entry}>
          <i style={{ background: `var(--kw-series-${color})` }} />
          {name} <strong>{shownOf(id)}</strong>
        </div>
      ))}
    </div>
  );
};
