'use client';

import classes from './count-figures.module.css';
import { useFormat } from './use-format';

/** A few counts side by side, each with its label. */
export const CountFigures = ({
  figures,
}: {
  figures: readonly { label: string; value: number | null }[];
}) => {
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
