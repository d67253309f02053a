'use client';

import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figure-row.module.css';
import { useFormat } from './use-format';

export interface RowFigure {
  id: string;
  name: string;
  /** Unknown is "—". Text: the digits of a count that a number would round. */
  value: number | string | null | undefined;
  /** Formats the value; as a count by default. */
  format?: (value: number | null | undefined) => string;
  /** Its source or meaning; omitted on phones. */
  note?: ReactNode;
}

interface FigureRowProps {
  label: string;
  figures: readonly RowFigure[];
  /** True during the first load: later ones leave the figures in place. */
  loading: boolean;
}

/** The figures at the top of a page, side by side. */
export const FigureRow = ({ label, figures, loading }: FigureRowProps) => {
  const format = useFormat();
  return (
    <section aria-label={label}>
      <dl className={classes.figures}>
        {figures.map(({ id, name, value, note, format: written = format.count }) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd>
              {loading ? (
                <Skeleton component="span" display="inline-block" width={64} height={14} />
              ) : (
                <span>{typeof value === 'string' ? format.count(value) : written(value)}</span>
              )}
              <small>{note}</small>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
};
