'use client';

import { Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { RateBar } from '@/components/patterns/rate-bar';
import { useFormat } from '@/components/patterns/use-format';
import { observedPerStep, type RateRow } from './rows';

interface RateCellProps {
  row: RateRow;
  /** The whole server's hit rate, shown for a family without figures. */
  instance: number | null;
}

/** The family's rate with its error, or why there is none: too few look-ups, or no figure of its own. */
export const RateCell = ({ row, instance }: RateCellProps) => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  if (row.source === 'none')
    return (
      <Dimmed component="span" fs="italic">
        {t('ofInstance', { rate: format.ratio(instance) })}
      </Dimmed>
    );
  if (row.tooFew) return <Dimmed component="span">{t('tooFewLookups', { count: row.n })}</Dimmed>;
  return (
    <Group gap={6}>
      <RateBar value={row.hitRate} />
      {row.source === 'sample' && row.error !== null && (
        <SmallNote style={{ whiteSpace: 'nowrap' }}>
          {t('error', { error: format.number(row.error * 100) })}
        </SmallNote>
      )}
    </Group>
  );
};

const EACH: Record<number, string> = { 60: 'minute', 3600: 'hour', 86400: 'day' };

/** "2 s each minute": the observed share of the time; undefined where no window observed the family. */
export const useWindowWords = () => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  return ({ source, points }: RateRow, stepSeconds: number | null): string | undefined => {
    const seconds = observedPerStep(points);
    if (source !== 'sample' || stepSeconds === null || seconds === null) return undefined;
    return t('window', {
      seconds: format.number(seconds),
      each: EACH[stepSeconds] ?? 'other',
      step: format.duration(stepSeconds),
    });
  };
};
