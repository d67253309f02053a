'use client';

import { UnstyledButton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useFormat } from '@/components/patterns/use-format';
import classes from './chart-figure.module.css';
import type { NumberedEvent } from './marks';

/** Listed at first; a button shows the others. */
const FIRST = 6;

interface ChartEventsProps {
  events: readonly NumberedEvent[];
  /** The length of the time axis, ms: it decides how exact times are. */
  span: number;
}

/** The events of a chart by the numbers of their lines. It has a line's height without one, so that nothing moves. */
export const ChartEvents = ({ events, span }: ChartEventsProps) => {
  const t = useTranslations('charts');
  const { tick } = useFormat();
  const [all, setAll] = useState(false);
  const shown = all ? events : events.slice(0, FIRST);
  return (
    <div className={classes.events}>
      <ol aria-label={t('events')}>
        {shown.map(({ number, at, label }) => (
          <li key={number}>
            <span className={classes.number}>{number}</span> {tick(at, span)} {label}
          </li>
        ))}
      </ol>
      {events.length > FIRST && (
        <UnstyledButton className={classes.more} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('fewerEvents') : t('moreEvents', { count: events.length - FIRST })}
        </UnstyledButton>
      )}
    </div>
  );
};
