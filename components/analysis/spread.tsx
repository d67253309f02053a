'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Histogram } from '@/components/charts/histogram';
import { Dimmed } from '@/components/patterns/dimmed';
import { useFormat } from '@/components/patterns/use-format';
import type { Distribution, HistogramBin } from '@/lib/analysis/schema';
import classes from './analysis.module.css';

interface SpreadProps {
  /** Its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  /** What the bins are of. */
  header: string;
  bins: readonly HistogramBin[] | undefined;
  edge: (value: number) => string;
  /** Shown instead of the picture when no key is in it. */
  nothing: string;
  /** Without one it has the height of a panel's chart, also without keys. */
  height?: number;
}

/** A histogram of keys, or why there is none. */
export const Spread = ({ bins = [], nothing, height, ...histogram }: SpreadProps) =>
  bins.some(({ keys }) => keys > 0) ? (
    <Histogram bins={bins} {...histogram} {...(height && { height })} />
  ) : (
    <Dimmed {...(!height && { className: classes.instead })}>{nothing}</Dimmed>
  );

/** "p50 120 B · p99 4 KiB · largest 1 MiB, of 1,200 keys". */
export const Percentiles = (props: {
  of: Distribution | null;
  edge: (value: number) => string;
}): ReactNode => {
  const t = useTranslations('analysis.spread');
  const format = useFormat();
  const { of, edge } = props;
  if (!of || of.of === 0) return null;
  return t('percentiles', {
    p50: edge(of.p50),
    p99: edge(of.p99),
    max: edge(of.max),
    keys: format.count(of.of),
  });
};
