'use client';

import { useTranslations } from 'next-intl';
import type { Source } from '@/lib/hit-rates/schema';
import { SmallNote } from './dimmed';
import { useFormat } from './use-format';

interface HitRateSourceProps {
  source: Source;
  /** 0–1; null with counters, or where nothing was counted. */
  coverage: number | null;
  /** Half width of the 95 % interval, 0–1. */
  error: number | null;
  /** The observed time, as text. */
  window?: string | undefined;
}

/** The source of a hit rate, with its coverage and error, as text. */
export const useHitRateSource = () => {
  const t = useTranslations('patterns.hitRate');
  const format = useFormat();
  return ({ source, coverage, error, window }: HitRateSourceProps): string =>
    [
      t(`source.${source}`),
      window,
      source === 'sample' && coverage !== null && t('coverage', { coverage: format.ratio(coverage) }),
      source === 'sample' && error !== null && t('error', { error: format.number(error * 100) }),
    ]
      .filter((part) => part)
      .join(' · ');
};

export const HitRateSource = (props: HitRateSourceProps) => (
  <SmallNote>{useHitRateSource()(props)}</SmallNote>
);
