'use client';

import { useFormat } from '@/components/patterns/use-format';
import classes from './traffic.module.css';

interface ThresholdBarProps {
  requests: number;
  threshold: number;
}

const levelOf = (part: number) => {
  if (part >= 1) return 'over';
  return part >= 0.8 ? 'near' : 'below';
};

/** How much of the threshold is used; full is over it, by however much. */
export const ThresholdBar = ({ requests, threshold }: ThresholdBarProps) => {
  const format = useFormat();
  const part = threshold > 0 ? requests / threshold : 1;
  return (
    <span className={classes.bar}>
      <span className={classes.track} aria-hidden>
        <span
          className={classes.fill}
          data-level={levelOf(part)}
          style={{ width: `${Math.min(1, part) * 100}%` }}
        />
      </span>
      {format.ratio(part)}
    </span>
  );
};
