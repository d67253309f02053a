'use client';

import { Skeleton, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { BarChart, type BarOf } from '@/components/charts/bar-chart';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';
import classes from './analysis.module.css';
import { LENGTHS, Percentiles, Spread } from './spread';

/** TTLs, expiries, sizes, idle times and lengths of all keys. */
export const SpreadTab = ({ report }: { report: AnalysisReport | undefined }) => {
  const t = useTranslations('analysis.spread');
  const format = useFormat();
  if (!report)
    return (
      <div className={classes.beside}>
        {['ttl', 'expiries', 'size', 'idle', 'bytes', 'elements'].map((id) => (
          <Skeleton key={id} height={282} />
        ))}
      </div>
    );
  const { ttl, size, idle, lengths, memoryBytes, withoutTtl } = report;
  const withTtl = ttl.reduce((sum, { keys }) => sum + keys, 0);
  return (
    <div className={classes.beside}>
      <Panel
        title={t('ttl')}
        note={withoutTtl === null ? undefined : t('ttlNote', { with: withTtl, without: withoutTtl })}
      >
        <Spread
          label={t('ttl')}
          name="analysis-ttl"
          header={t('remaining')}
          bins={ttl}
          edge={format.duration}
          nothing={t(withoutTtl === null ? 'noTtlRead' : 'noTtl')}
        />
      </Panel>
      <Panel title={t('expiries')} note={t('expiriesNote')}>
        <Expiries report={report} />
      </Panel>
      <Panel title={t('size')} note={<Percentiles of={size} edge={format.bytes} />}>
        <Spread
          label={t('size')}
          name="analysis-size"
          header={t('memory')}
          bins={size?.histogram}
          edge={format.bytes}
          nothing={t(memoryBytes === null ? 'noMemory' : 'noKeys')}
        />
      </Panel>
      <Panel title={t('idle')} note={<Percentiles of={idle} edge={format.duration} />}>
        <Spread
          label={t('idle')}
          name="analysis-idle"
          header={t('unused')}
          bins={idle?.histogram}
          edge={format.duration}
          nothing={t(idle === null ? 'noIdle' : 'noKeys')}
        />
      </Panel>
      {LENGTHS.map((kind) => {
        const edge = kind === 'bytes' ? format.bytes : format.count;
        return (
          <Panel key={kind} title={t(kind)} note={<Percentiles of={lengths[kind]} edge={edge} />}>
            <Spread
              label={t(kind)}
              name={`analysis-${kind}`}
              header={t(kind)}
              bins={lengths[kind]?.histogram}
              edge={edge}
              nothing={t('noKeys')}
            />
          </Panel>
        );
      })}
    </div>
  );
};

/** When keys expire, counted from the time of the report. */
const Expiries = ({ report }: { report: AnalysisReport }) => {
  const t = useTranslations('analysis.spread');
  const format = useFormat();
  const { at, expiries, withoutTtl } = report;
  const bars = useMemo(
    () =>
      expiries.map(({ from, to, keys }): BarOf => {
        const [begin, end] = [Date.parse(from), Date.parse(to)];
        return {
          name: `${format.absolute(begin)} – ${format.absolute(end)}`,
          tick: `+${format.duration((begin - Date.parse(at)) / 1000)}`,
          value: keys,
        };
      }),
    [expiries, at, format],
  );
  const headers = useMemo(() => ({ name: t('time'), value: t('expire') }), [t]);
  if (!expiries.some(({ keys }) => keys > 0))
    return (
      <Text size="sm" c="dimmed" className={classes.instead}>
        {t(withoutTtl === null ? 'noTtlRead' : 'noTtl')}
      </Text>
    );
  return (
    <BarChart
      label={t('expiries')}
      name="analysis-expiries"
      headers={headers}
      bars={bars}
      format={format.count}
      height={180}
      dense
    />
  );
};
