'use client';

import { useMemo } from 'react';
import type { HitRatePoint } from '@/lib/hit-rates/schema';
import { valuesAtSteps } from './covered';
import type { LineStyle } from './series';
import { Sparkline } from './sparkline';

const RATE_DOMAIN: [number, number] = [0, 1];
const STEPS = 60;

interface RateSparklineProps {
  points: readonly HitRatePoint[];
  /** Epoch ms. */
  span: { from: number; to: number };
  stepSeconds: number;
  style: LineStyle;
}

/** Fewer points are a speck. */
const MIN_POINTS = 3;

/** A family's hit rate over a range, on an axis of 0–100 %; empty where it has too few points. */
export const RateSparkline = ({ points, span: { from, to }, stepSeconds, style }: RateSparklineProps) => {
  const values = useMemo(
    () =>
      valuesAtSteps(points, ({ hitRate }) => hitRate, { from, to, stepMs: stepSeconds * 1000, count: STEPS }),
    [points, from, to, stepSeconds],
  );
  if (values.filter((value) => value !== null).length < MIN_POINTS) return null;
  return <Sparkline values={values} domain={RATE_DOMAIN} color={`series-${style.color}`} />;
};
