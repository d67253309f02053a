'use client';

import { useId, useMemo } from 'react';
import type { SeriesColor } from './series';
import { sparkPaths } from './spark-paths';

interface SparklineProps {
  /** In equal steps, oldest first; null is a gap. */
  values: (number | null)[];
  color?: 'good' | 'warn' | 'bad' | `series-${SeriesColor}`;
  /** The ends of the y-axis; by default the smallest and largest value. */
  domain?: [number, number];
}

const WIDTH = 180;
const HEIGHT = 24;

/** A small line of recent values next to a figure. Screen readers skip it, because the figure is text. */
export const Sparkline = ({ values, color = 'series-1', domain }: SparklineProps) => {
  const id = useId();
  const { line, area } = useMemo(() => sparkPaths(values, WIDTH, HEIGHT, domain), [values, domain]);
  const stroke = `var(--kw-${color})`;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
      data-sparkline
    >
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor={stroke} stopOpacity="0.25" />
        <stop offset="1" stopColor={stroke} stopOpacity="0" />
      </linearGradient>
      <path d={area} fill={`url(#${id})`} />
      <path
        d={line}
        fill="none"
        stroke={stroke}
        strokeWidth="1.5"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
};
