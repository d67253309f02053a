'use client';

import classes from './rate-bar.module.css';
import { useFormat } from './use-format';

const levelOf = (value: number) => (value >= 0.8 ? 'good' : value >= 0.5 ? 'warn' : 'bad');

/** A rate of 0–1 as a bar with its figure; unknown is "—" without a bar. */
export const RateBar = ({ value }: { value: number | null | undefined }) => {
  const format = useFormat();
  if (value === null || value === undefined)
    return <span className={classes.unknown}>{format.ratio(value)}</span>;
  return (
    <span className={classes.rate}>
      <span className={classes.track} aria-hidden>
        <span className={classes.fill} data-level={levelOf(value)} style={{ width: `${value * 100}%` }} />
      </span>
      {format.ratio(value)}
    </span>
  );
};
