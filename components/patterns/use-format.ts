'use client';

import { useLocale } from 'next-intl';
import { useMemo } from 'react';
import * as format from '@/lib/format';
import { usePreferences } from './preferences';

/** The formatters of `lib/format` in the reader's language, time zone and clock. */
export const useFormat = () => {
  const locale = useLocale();
  const { timeZone, hours } = usePreferences().preferences;
  return useMemo(() => {
    const comma = locale === 'zh' ? '、' : ', ';
    return {
      locale,
      /** Between sentences. */
      space: locale === 'zh' ? '' : ' ',
      colon: locale === 'zh' ? '：' : ': ',
      comma,
      list: (items: readonly string[]) => items.join(comma),
      count: (value: number | string | null | undefined) => format.formatCount(value, locale),
      number: (value: number | `${number}` | null | undefined, digits?: number) =>
        format.formatNumber(value, locale, digits),
      bytes: (value: number | null | undefined) => format.formatBytes(value, locale),
      bytesPerSecond: (value: number | null | undefined) => format.formatBytesPerSecond(value, locale),
      ratio: (value: number | null | undefined) => format.formatRatio(value, locale),
      points: (value: number | null | undefined) => format.formatPoints(value, locale),
      change: (value: number | null | undefined) => format.formatChange(value, locale),
      perSecond: (value: number | null | undefined) => format.formatPerSecond(value, locale),
      duration: (seconds: number | null | undefined) => format.formatDuration(seconds, locale),
      micros: (value: number | null | undefined) => format.formatMicros(value, locale),
      ms: (value: number | null | undefined) => format.formatMs(value, locale),
      relative: (at: number | null | undefined, now: number) => format.formatRelative(at, now, locale),
      absolute: (at: number | null | undefined, zone: string | null = timeZone) =>
        format.formatAbsolute(at, locale, { timeZone: zone, hours }),
      tick: (at: number, spanMs: number) => format.formatTick(at, spanMs, locale, { timeZone, hours }),
    };
  }, [locale, timeZone, hours]);
};
