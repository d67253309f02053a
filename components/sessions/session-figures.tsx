'use client';

import { useFormat } from '@/components/patterns/use-format';
import classes from './session-figures.module.css';

/** A few counts side by side, each under its name. */
export const SessionFigures = ({ figures }: { figures: readonly { label: string; value: number }[] }) => {
  const format = useFormat();
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{format.count(value)}</dd>
        </div>
      ))}
    </dl>
  );
};
