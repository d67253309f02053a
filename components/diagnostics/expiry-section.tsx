'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Histogram } from '@/components/charts/histogram';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Count, Duration, PerSecond, Rate } from '@/components/patterns/figures';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { Diagnostics } from '@/lib/diagnostics/schema';
import { SectionPanel } from './section-panel';

type Figures = NonNullable<Diagnostics['expiry']['figures']>;
type Wave = Figures['waves'][number];

const waveId = ({ family, at }: Wave): string => `${family} ${at}`;

/** How long keys have left, and what expires together. */
export const ExpirySection = ({ expiry }: { expiry: Diagnostics['expiry'] }) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const { figures } = expiry;
  return (
    <SectionPanel
      name="expiry"
      section={expiry}
      findings={expiry.findings.map((finding) => t(`finding.expiry.${finding}`))}
      links={[
        { path: '/families', label: t('link.ttls') },
        { path: '/hit-rates', label: tWord('hitRates') },
      ]}
      facts={[
        { label: t('expiry.withTtl'), value: <Count value={figures?.withTtl} /> },
        { label: t('keys.withoutTtl'), value: <Count value={figures?.withoutTtl} /> },
        { label: t('expiry.minute'), value: <Count value={figures?.nextMinute} /> },
        { label: t('expiry.hour'), value: <Count value={figures?.nextHour} /> },
        { label: t('expiry.day'), value: <Count value={figures?.nextDay} /> },
        { label: t('expiry.perSecond'), value: <PerSecond value={figures?.expiredPerSecond} /> },
        { label: t('expiry.stale'), value: <Rate value={figures?.staleShare} /> },
        { label: t('counted'), value: <RelativeTime at={figures?.countedAt ?? null} /> },
      ]}
    >
      {figures && (
        <>
          {figures.withTtl > 0 && <Remaining bins={figures.bins} />}
          <Waves waves={figures.waves} />
        </>
      )}
    </SectionPanel>
  );
};

const Remaining = ({ bins }: Pick<Figures, 'bins'>) => {
  const t = useTranslations('diagnostics.expiry');
  const format = useFormat();
  const last = bins.findLastIndex(({ keys }) => keys > 0);
  return (
    <Histogram
      label={t('remaining')}
      name="diagnostics-ttl"
      header={t('left')}
      bins={useMemo(() => bins.slice(0, last + 1), [bins, last])}
      edge={format.duration}
    />
  );
};

const Waves = ({ waves }: { waves: Wave[] }) => {
  const t = useTranslations('diagnostics.expiry');
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<Wave>[] => [
      { id: 'family', header: tWord('family'), width: 170, pinned: true, value: ({ title }) => title },
      timeColumn({ id: 'at', header: t('due'), width: 110 }),
      countColumn({ id: 'keys', header: tWord('keys'), width: 90 }),
      {
        id: 'within',
        header: t('within'),
        width: 90,
        align: 'right',
        cell: ({ widthSeconds }) => <Duration value={widthSeconds} />,
        value: ({ widthSeconds }) => widthSeconds,
      },
    ],
    [t, tWord],
  );
  return (
    <ShortTable label={t('waves')} name="diagnostics-waves" columns={columns} rows={waves} rowId={waveId} />
  );
};
