'use client';

import { useTranslations } from 'next-intl';
import classes from './chart-figure.module.css';
import type { Series } from './series';
import { SeriesMark } from './series-mark';

export interface LegendChoice {
  /** Every available line. */
  all: readonly Series[];
  onToggle: (id: string) => void;
  /** The highlighted line; the others fade. */
  highlighted: string | null;
  onHighlight: (id: string | null) => void;
}

interface LegendProps {
  /** The visible lines. */
  series: readonly Series[];
  choice?: LegendChoice | undefined;
}

/** The names of the lines. With a choice each name is a button that shows or hides its line. */
export const Legend = ({ series, choice }: LegendProps) => {
  const t = useTranslations('charts');
  if (choice) {
    const drawn = new Set(series.map(({ id }) => id));
    const { onToggle, onHighlight } = choice;
    return (
      <fieldset className={classes.legend} aria-label={t('legend')}>
        {choice.all.map((line) => (
          <button
            key={line.id}
            type="button"
            className={classes.chip}
            aria-pressed={drawn.has(line.id)}
            data-highlighted={choice.highlighted === line.id || undefined}
            onClick={() => onToggle(line.id)}
            onPointerEnter={() => onHighlight(line.id)}
            onPointerLeave={() => onHighlight(null)}
            onFocus={() => onHighlight(line.id)}
            onBlur={() => onHighlight(null)}
          >
            <SeriesMark style={line} />
            {line.name}
          </button>
        ))}
      </fieldset>
    );
  }
  return (
    <div className={classes.legend}>
      {/* The panel's title names a single line. */}
      {series.length > 1 &&
        series.map((line) => (
          <span key={line.id} className={classes.entry}>
            <SeriesMark style={line} />
            {line.name}
          </span>
        ))}
    </div>
  );
};
