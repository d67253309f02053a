'use client';

import { Alert } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useInUnit } from '@/components/patterns/figure-words';
import type { FigureItem } from '@/lib/exposition/schema';
import { previewOf, type RuleFields } from './rule-form';

interface RulePreviewProps {
  figure: FigureItem | undefined;
  fields: RuleFields;
}

/** What the rule would say now: its value against the limit, and how many series it watches. */
export const RulePreview = ({ figure, fields }: RulePreviewProps) => {
  const t = useTranslations('alerts.preview');
  const tWord = useTranslations('words');
  const inUnit = useInUnit();
  const { series, beyond } = previewOf(figure, fields);
  const values = series.map(({ value }) => value);
  const shown = (value: number) => inUnit(value, figure?.unit ?? null);
  const now =
    values.length === 0
      ? t('noData')
      : values.length === 1
        ? t('one', { value: shown(values[0]!) })
        : t('many', {
            count: values.length,
            min: shown(Math.min(...values)),
            max: shown(Math.max(...values)),
          });
  return (
    <Alert color={beyond ? 'orange' : 'gray'} title={tWord('now')} data-testid="alert-preview">
      {now}{' '}
      {fields.condition === 'change'
        ? t('change')
        : beyond !== null && values.length > 0 && t('beyond', { count: beyond })}
    </Alert>
  );
};
