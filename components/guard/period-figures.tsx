'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useNow } from '@/components/patterns/now';
import { useFormat } from '@/components/patterns/use-format';
import { epochOf, UNKNOWN } from '@/lib/format';
import type { IpTraffic } from '@/lib/guard/traffic/schema';
import classes from './traffic.module.css';
import type { IpMap } from './traffic-queries';

interface Figure {
  id: string;
  name: string;
  value: ReactNode;
  note: string;
}

/** Seconds until the collector deletes the map, counted down between refreshes. */
const Countdown = ({ endsAt }: { endsAt: string | null }) => {
  const t = useTranslations('guard.traffic.figure');
  const format = useFormat();
  const now = useNow('second');
  const end = epochOf(endsAt);
  if (end === null || now === null) return UNKNOWN;
  const seconds = (end - now) / 1000;
  return seconds > 0 ? format.duration(seconds) : t('ending');
};

/** The period and its sums as one row of figures. */
export const PeriodFigures = ({ map, traffic }: { map: IpMap; traffic: IpTraffic }) => {
  const t = useTranslations('guard.traffic.figure');
  const tWord = useTranslations('words');
  const format = useFormat();
  const figures: Figure[] = [
    {
      id: 'ends',
      name: t('ends'),
      value: <Countdown endsAt={traffic.periodEndsAt} />,
      note: t(traffic.periodEndsAt === null ? 'endsUnknown' : 'endsNote', {
        period: format.duration(traffic.periodSeconds),
      }),
    },
    {
      id: 'requests',
      name: t(`requests.${map}`),
      value: format.count(traffic.totalExact ?? traffic.total),
      note: t(traffic.exact ? 'requestsNote' : 'estimate'),
    },
    {
      id: 'addresses',
      name: tWord('addresses'),
      value: format.count(traffic.ips),
      note: traffic.exact ? t('addressesNote', { count: traffic.unreadable }) : t('estimate'),
    },
    {
      id: 'threshold',
      name: tWord('threshold'),
      value: format.count(traffic.threshold),
      note: t('thresholdNote'),
    },
  ];
  return (
    <dl className={classes.figures}>
      {figures.map(({ id, name, value, note }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>
            {value}
            <small>{note}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
};
