'use client';

import { Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { BarChart, type BarOf } from '@/components/charts/bar-chart';
import { Columns } from '@/components/patterns/columns';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';
import classes from './analysis.module.css';
import { Percentiles, Spread } from './spread';

/** TTLs, expiries, sizes, idle times and lengths of all keys. */
export const SpreadTab = ({ report }: { report: AnalysisReport | undefined }) => {
  const t = useTranslations('analysis.spread');
  const format = useFormat();
  if (!report)
    return (
      <Columns>
        {['ttl', 'expiries', 'size', 'idle', 'bytes', 'elements'].map((id) => (
          <Skeleton key={id} height={282} />
        ))}
      </Columns>
    );
  const { ttl, size, idle, lengths, memoryBytes, withoutTtl } = report;
  const withTtl = ttl.reduce((sum, { keys }) => sum + keys, 0);
  const noMemory = memoryBytes === null ? 'noMemory' : 'noKeys';
  const noIdle = idle === null ? 'noIdle' : 'noKeys';
  const { bytes, elements } = lengths;
  const others = [
    { kind: 'size', header: 'memory', of: size, edge: format.bytes, nothing: noMemory },
    { kind: 'idle', header: 'unused', of: idle, edge: format.duration, nothing: noIdle },
    { kind: 'bytes', header: 'bytes', of: bytes, edge: format.bytes, nothing: 'noKeys' },
    { kind: 'elements', header: 'elements', of: elements, edge: format.count, nothing: 'noKeys' },
  ] as const;
  return (
    <Columns>
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
      {others.map(({ kind, header, of, edge, nothing }) => (
        <Panel key={kind} title={t(kind)} note={<Percentiles of={of} edge={edge} />}>
          <Spread
            label={t(kind)}
            name={`analysis-${kind}`}
            header={t(header)}
            bins={of?.histogram}
            edge={edge}
            nothing={t(nothing)}
          />
        </Panel>
      ))}
    </Columns>
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
    return <Dimmed className={classes.instead}>{t(withoutTtl === null ? 'noTtlRead' : 'noTtl')}</Dimmed>;
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
