'use client';

import { Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Series, styleOf } from '@/components/charts/series';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { useInUnit, useMetricName } from '@/components/patterns/figure-words';
import { Strong } from '@/components/patterns/strong';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import type { alertContracts } from '@/lib/alerts/schema';
import type { Result } from '@/lib/contract';
import { DAY } from '@/lib/time';
import { alertQueries } from './queries';
import { type RuleFields, termsOf } from './rule-form';

/** A pause in typing after which the rule is tried, ms. */
const PAUSE_MS = 500;
const CHART_HEIGHT = 160;

interface RulePastProps {
  fields: RuleFields;
  /** The unit of the figure. */
  unit: string | null;
}

/** How often the rule would have fired last week, on the chart of its figure. */
export const RulePast = ({ fields, unit }: RulePastProps) => {
  const t = useTranslations('alerts.preview');
  const { id } = useConnection();
  const format = useFormat();
  const terms = useMemo(() => termsOf(fields, unit), [fields, unit]);
  const [tried] = useDebouncedValue(terms, PAUSE_MS);
  const query = useQuery({ ...alertQueries.preview(id, tried), placeholderData: keepPreviousData });
  const { data, error } = query;
  if (error || !data) return <Unanswered query={query} height={CHART_HEIGHT} />;
  if (data.values === null || data.values.length === 0)
    return <Dimmed>{t(data.values === null ? 'noPast' : 'pastEmpty')}</Dimmed>;
  return (
    <Stack gap="xs" data-testid="alert-past">
      <Strong>
        {t('fired', { count: data.count })}{' '}
        {Date.parse(data.values[0]!.at) - Date.parse(data.from) > DAY &&
          t('since', { since: format.absolute(Date.parse(data.values[0]!.at)) })}
      </Strong>
      <PastChart past={{ ...data, values: data.values }} terms={tried} unit={unit} />
      <Dimmed size="xs">{t('averages', { step: format.duration(data.stepSeconds) })}</Dimmed>
    </Stack>
  );
};

type Past = Result<typeof alertContracts.preview>;

interface PastChartProps {
  past: Past & { values: NonNullable<Past['values']> };
  terms: ReturnType<typeof termsOf>;
  unit: string | null;
}

const PastChart = ({ past, terms, unit }: PastChartProps) => {
  const t = useTranslations('alerts.preview');
  const tWord = useTranslations('words');
  const inUnit = useInUnit();
  const metricName = useMetricName();
  const name = metricName(terms.source.metric);
  // A change is compared with its limit, and the chart shows the figure itself.
  const limit = terms.condition === 'change' ? null : terms.value;
  const points = useMemo(
    () => past.values.map(({ at, value }) => ({ at: Date.parse(at), value, limit })),
    [past.values, limit],
  );
  const series: Series[] = [{ id: 'value', name, ...styleOf(0) }];
  if (limit !== null)
    series.push({ id: 'limit', name: tWord('threshold'), color: 5, dash: '7 3', muted: true });
  const events = past.fired.map(({ at }) => ({ at: Date.parse(at), label: t('wouldFire') }));
  return (
    <TimeSeriesChart
      label={t('chart', { name })}
      name="alert-preview"
      series={series}
      points={points}
      stepMs={past.valueSeconds * 1000}
      from={Date.parse(past.from)}
      to={Date.parse(past.to)}
      format={(value) => inUnit(value, unit)}
      height={CHART_HEIGHT}
      events={events}
    />
  );
};
