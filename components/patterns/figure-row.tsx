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
  /** How it is written; a count unless given. */
  format?: (value: number | null | undefined) => string;
  /** Its source or meaning; not on a phone. */
  note?: ReactNode;
}

interface FigureRowProps {
  label: string;
  figures: readonly RowFigure[];
  /** The first load: later ones leave the figures where they are. */
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
                <Skeleton component="span" className={classes.loading} />
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
