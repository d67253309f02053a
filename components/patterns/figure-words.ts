'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { UNKNOWN } from '@/lib/format';
import { useFormat } from './use-format';

const OWN = 'keyward_';

/** The name of a figure as people say it; that of Prometheus where it has none. */
export const useMetricName = () => {
  const t = useTranslations('alerts.metric');
  return useCallback(
    (metric: string): string => {
      const key = metric.slice(OWN.length) as Parameters<typeof t.has>[0];
      return metric.startsWith(OWN) && t.has(key) ? t(key) : metric;
    },
    [t],
  );
};

/** Values in the unit of their figure; a percentage is of a change. */
export const useInUnit = () => {
  const format = useFormat();
  return useCallback(
    (value: number | null, unit: string | null): string => {
      if (value === null) return UNKNOWN;
      if (unit === 'percent') return `${format.number(value)}%`;
      if (unit === 'bytes') return format.bytes(value);
      if (unit === 'ratio') return format.ratio(value);
      if (unit === 'perSecond') return format.perSecond(value);
      if (unit === 'seconds') return value < 60 ? format.ms(value * 1000) : format.duration(value);
      return format.number(value, 3);
    },
    [format],
  );
};
