'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useInUnit, useMetricName } from '@/components/patterns/figure-words';
import { KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { AlertRule, AlertSeries } from '@/lib/alerts/schema';
import { UNKNOWN } from '@/lib/format';

const STATE_COLORS = { firing: 'red', pending: 'orange', noData: 'gray', ok: 'green' } as const;

export const DELIVERY_COLORS = { delivered: 'green', pending: 'orange', failed: 'red' } as const;

export const StateBadge = ({ state }: { state: AlertSeries['state'] }) => {
  const t = useTranslations('alerts');
  return <Badge color={STATE_COLORS[state]}>{t(`state.${state}`)}</Badge>;
};

export const SeverityBadge = ({ severity }: { severity: AlertRule['severity'] }) => {
  const t = useTranslations('alerts');
  return (
    <Badge color={severity === 'critical' ? 'red' : 'orange'} variant="outline">
      {t(`severity.${severity}`)}
    </Badge>
  );
};

export const MetricName = ({ metric }: { metric: string }) => {
  const name = useMetricName()(metric);
  return name === metric ? <KeyText max={100}>{metric}</KeyText> : <span title={metric}>{name}</span>;
};

export const InUnit = ({ value, unit }: { value: number | null; unit: string | null }) =>
  useInUnit()(value, unit);

export const NoDataSince = ({ at }: { at: string }) => {
  const t = useTranslations('alerts');
  return <span>{t.rich('noDataSince', { when: () => <RelativeTime at={at} /> })}</span>;
};

type Limited = Pick<AlertRule, 'condition' | 'value' | 'windowSeconds' | 'forSeconds'> & {
  unit: string | null;
};

/** "above 90% for 1 min". */
export const LimitText = ({ rule }: { rule: Limited }) => {
  const { condition, value, unit, windowSeconds, forSeconds } = rule;
  const t = useTranslations('alerts.limit');
  const format = useFormat();
  const limit = useInUnit()(condition === 'change' ? Math.abs(value) : value, unit);
  const within = format.duration(windowSeconds);
  const passed =
    condition === 'change'
      ? t(value > 0 ? 'rise' : 'fall', { limit, within })
      : t(condition === 'above' ? 'above' : 'below', { limit });
  return forSeconds === 0 ? passed : t('for', { passed, time: format.duration(forSeconds) });
};

/** The limit in exports: "above 90%". */
export const limitOf = ({ condition, value, unit }: Limited): string => {
  if (unit !== 'ratio' && unit !== 'percent') return `${condition} ${value}`;
  // Without the digits that a multiplication adds.
  return `${condition} ${unit === 'ratio' ? Number((value * 100).toPrecision(12)) : value}%`;
};

/** The labels of a series as `family="x"`; hidden ones are "—". */
export const labelsText = (labels: Readonly<Record<string, string>> | null): string | null =>
  labels &&
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');

export const LabelsText = ({ labels }: { labels: Readonly<Record<string, string>> | null }) => {
  const text = labelsText(labels);
  return text ? <KeyText max={120}>{text}</KeyText> : <span>{UNKNOWN}</span>;
};
