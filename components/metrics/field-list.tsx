'use client';

import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { MetricValue } from '@/components/patterns/metric-value';
import { Panel } from '@/components/patterns/panel';
import type { MetricField, MetricItem } from '@/lib/metrics/schema';
import classes from './metrics.module.css';
import { PinButton } from './pin-button';

/** The fields of statistics with their values; each can be pinned. */
export const FieldList = ({ item, fields }: { item: MetricItem; fields: readonly MetricField[] }) => {
  const t = useTranslations('metrics.drawer');
  return (
    <Panel title={t('fields')}>
      <ul className={classes.list} aria-label={t('fields')}>
        {fields.map(({ fieldId, field, ...figure }) => (
          <li key={fieldId} className={classes.row}>
            <HostileText max={60}>{field}</HostileText>
            <MetricValue figure={figure} />
            <PinButton figure={{ keyId: item.keyId, fieldId }} name={field} />
          </li>
        ))}
      </ul>
    </Panel>
  );
};
