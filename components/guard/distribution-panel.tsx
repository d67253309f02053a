'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { BarChart } from '@/components/charts/bar-chart';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { IpTraffic } from '@/lib/guard/traffic/schema';

/** Addresses by their number of requests, in powers of ten. */
export const DistributionPanel = ({ traffic }: { traffic: IpTraffic }) => {
  const t = useTranslations('guard.traffic.distribution');
  const tGuard = useTranslations('guard');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const format = useFormat();
  const bars = useMemo(
    () =>
      traffic.distribution.map(({ from, to, ips }) => ({
        name: `${format.count(from)}–${format.count(to - 1)}`,
        value: ips,
      })),
    [traffic.distribution, format],
  );
  const headers = useMemo(() => ({ name: tWord('requests'), value: tWord('addresses') }), [tWord]);
  return (
    <Panel title={t('title')} note={t('note')}>
      {bars.length > 0 ? (
        <BarChart
          label={t('label', { connection: id })}
          name={`${id}-requests-per-address`}
          headers={headers}
          bars={bars}
          format={format.count}
        />
      ) : (
        <EmptyState title={tGuard('traffic.empty.all.title')}>{t('emptyNote')}</EmptyState>
      )}
    </Panel>
  );
};
