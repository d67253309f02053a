'use client';

import { RateBar } from '@/components/patterns/rate-bar';

interface ThresholdBarProps {
  requests: number;
  threshold: number;
}

const levelOf = (part: number) => {
  if (part >= 1) return 'bad';
  return part >= 0.8 ? 'warn' : 'plain';
};

/** How much of the threshold is used; full is over it, by however much. */
export const ThresholdBar = ({ requests, threshold }: ThresholdBarProps) => {
  const part = threshold > 0 ? requests / threshold : 1;
  return <RateBar value={part} level={levelOf(part)} short />;
};
