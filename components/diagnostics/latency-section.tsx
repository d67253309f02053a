'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { useFormat } from '@/components/patterns/use-format';
import type { Diagnostics } from '@/lib/diagnostics/schema';
import { SectionPanel } from './section-panel';

type Spike = NonNullable<Diagnostics['latency']['figures']>['events'][number];

const idOf = ({ event, node }: Spike): string => (node === null ? event : `${event} ${node}`);

/** Spikes that the server recorded, and the round trip from here. */
export const LatencySection = ({ latency }: { latency: Diagnostics['latency'] }) => {
  const t = useTranslations('diagnostics');
  const format = useFormat();
  const { figures } = latency;
  const columns = useMemo(
    (): DataColumn<Spike>[] => [
      keyColumn({
        id: 'event',
        header: t('latency.event'),
        width: 120,
        pinned: true,
        of: idOf,
      }),
      timeColumn({ id: 'at', header: t('latency.at'), width: 90 }),
      countColumn({ id: 'latest', header: t('latency.latest'), width: 85, of: ({ latestMs }) => latestMs }),
      countColumn({ id: 'max', header: t('latency.max'), width: 85, of: ({ maxMs }) => maxMs }),
      countColumn({ id: 'hour', header: t('latency.lastHour'), width: 85, of: ({ lastHour }) => lastHour }),
    ],
    [t],
  );
  const threshold = figures?.thresholdMs;
  return (
    <SectionPanel
      name="latency"
      section={latency}
      findings={latency.findings.map((finding) => t(`finding.latency.${finding}`))}
      links={[{ path: '/overview', label: t('link.overview') }]}
      facts={[
        { label: t('latency.roundTrip'), value: format.ms(figures?.roundTripMs) },
        { label: t('latency.monitor'), value: threshold === 0 ? t('latency.off') : format.ms(threshold) },
      ]}
    >
      <ShortTable
        label={t('latency.events')}
        name="diagnostics-latency"
        columns={columns}
        rows={figures?.events ?? []}
        rowId={idOf}
      />
    </SectionPanel>
  );
};
