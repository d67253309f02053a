'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { actionsColumn, countColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { SmallNote } from '@/components/patterns/dimmed';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { TrafficIp } from '@/lib/guard/traffic/schema';
import { AddressCell, BanButton, FactsCell, Projection, RateCell, ThresholdBar } from './ip-cells';
import type { IpMap } from './traffic-queries';

const useFigureColumns = (threshold: number, map: IpMap): DataColumn<TrafficIp>[] => {
  const t = useTranslations('guard.traffic.column');
  const tWord = useTranslations('words');
  return useMemo(
    () => [
      countColumn({
        id: 'requests',
        header: tWord('requests'),
        width: 90,
        of: (row) => row.requestsExact ?? row.requests,
      }),
      rateColumn({ id: 'share', header: tWord('share'), width: 75 }),
      ...(map === 'currentPeriod'
        ? [
            {
              id: 'threshold',
              header: t('threshold'),
              width: 145,
              cell: ({ requests }) => <ThresholdBar requests={requests} threshold={threshold} />,
              value: ({ requests }) => requests / threshold,
            } satisfies DataColumn<TrafficIp>,
          ]
        : []),
      {
        id: 'rate',
        header: t('rate'),
        width: 140,
        align: 'right',
        cell: (ip) => <RateCell ip={ip} />,
        value: ({ ratePerSecond }) => ratePerSecond,
      },
      {
        id: 'crosses',
        header: t('crosses'),
        width: 130,
        // Already shown below the rate; as its own column it is meant for exports.
        hiddenAtFirst: true,
        cell: (ip) => <Projection ip={ip} />,
        value: ({ crossesInSeconds }) => crossesInSeconds,
      },
    ],
    [t, threshold, map, tWord],
  );
};

const useTimeColumns = (): DataColumn<TrafficIp>[] => {
  const t = useTranslations('guard.traffic');
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: 'periods',
        header: t('column.periods'),
        width: 90,
        cell: ({ periods }) => (
          <span title={t('periodsAre', { figures: periods.map(format.count).join(', ') })}>
            <Sparkline values={periods} />
          </span>
        ),
        value: ({ periods }) => periods.map((requests) => requests ?? '').join(' '),
      },
      {
        id: 'firstSeen',
        header: t('column.firstSeen'),
        width: 85,
        cell: ({ firstSeenAt }) =>
          firstSeenAt === null ? (
            <SmallNote title={t('beforeMeans')}>{t('before')}</SmallNote>
          ) : (
            <RelativeTime at={firstSeenAt} />
          ),
        value: ({ firstSeenAt }) => firstSeenAt,
      },
    ],
    [t, format],
  );
};

interface IpColumnsOptions {
  map: IpMap;
  threshold: number;
  /** Absent without the permission to ban. */
  onBan: ((address: string) => void) | undefined;
}

export const useIpColumns = ({ map, threshold, onBan }: IpColumnsOptions): DataColumn<TrafficIp>[] => {
  const t = useTranslations('guard.traffic');
  const tWord = useTranslations('words');
  const figures = useFigureColumns(threshold, map);
  const times = useTimeColumns();
  return useMemo(() => {
    const columns: DataColumn<TrafficIp>[] = [
      {
        id: 'ip',
        header: tWord('address'),
        width: 195,
        pinned: true,
        cell: (ip) => <AddressCell ip={ip} />,
      },
      ...figures,
      {
        id: 'facts',
        header: t('column.facts'),
        width: 210,
        cell: (ip) => <FactsCell ip={ip} map={map} />,
        value: ({ overThreshold, blacklisted }) =>
          [overThreshold && 'over', blacklisted && 'banned'].filter(Boolean).join(' '),
      },
      ...times,
    ];
    if (onBan)
      columns.push(
        actionsColumn({ width: 110, cell: (ip) => <BanButton ip={ip} map={map} onBan={onBan} /> }),
      );
    return columns;
  }, [t, figures, times, map, onBan, tWord]);
};
