'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { useFormat } from '@/components/patterns/use-format';
import { BarChart, type BarOf } from './bar-chart';

/** Keys from `from` (inclusive) to `to` (exclusive, null: unbounded). */
interface Bin {
  from: number;
  to: number | null;
  keys: number;
}

interface HistogramProps {
  label: string;
  /** Names the exported file. */
  name: string;
  /** The quantity of the bins: "Remaining TTL". */
  header: string;
  bins: readonly Bin[];
  /** Formats an edge of a bin. */
  edge: (value: number) => string;
  height?: number;
}

/** How many keys are in each bin: a bar per bin, named by its lower edge. */
export const Histogram = ({ label, name, header, bins, edge, height = 180 }: HistogramProps) => {
  const t = useTranslations('charts.histogram');
  const tWord = useTranslations('words');
  const format = useFormat();
  const headers = useMemo(() => ({ name: header, value: tWord('keys') }), [header, tWord]);
  const bars = useMemo(
    () =>
      bins.map(({ from, to, keys }): BarOf => {
        const tick = edge(from);
        const span = to === null ? t('from', { from: tick }) : tWord('fromTo', { from: tick, to: edge(to) });
        return { name: span, tick, value: keys };
      }),
    [bins, edge, t, tWord],
  );
  return (
    <BarChart
      label={label}
      name={name}
      headers={headers}
      bars={bars}
      format={format.count}
      height={height}
      dense
    />
  );
};
