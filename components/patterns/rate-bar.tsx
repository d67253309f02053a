'use client';

import { Text } from '@mantine/core';
import classes from './rate-bar.module.css';
import { useFormat } from './use-format';

type Level = 'good' | 'warn' | 'bad' | 'plain';

const levelOf = (value: number): Level => (value >= 0.8 ? 'good' : value >= 0.5 ? 'warn' : 'bad');

interface RateBarProps {
  value: number | null | undefined;
  /** For a rate where higher is not better. */
  level?: Level;
  /** For narrow columns. */
  short?: boolean;
}

/** A rate of 0–1 as a bar with its figure; unknown is "—" without a bar. */
export const RateBar = ({ value, level, short }: RateBarProps) => {
  const format = useFormat();
  if (value === null || value === undefined)
    return (
      <Text span inherit c="dimmed">
        {format.ratio(value)}
      </Text>
    );
  return (
    <span className={classes.rate}>
      <span className={classes.track} data-short={short || undefined} aria-hidden>
        <span
          className={classes.fill}
          data-level={level ?? levelOf(value)}
          style={{ width: `${Math.min(1, value) * 100}%` }}
        />
      </span>
      {format.ratio(value)}
    </span>
  );
};
