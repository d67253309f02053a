'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import classes from './header.module.css';
import { useLive } from './live';
import { shellQueries } from './queries';

/** Latency and operations a second, and whether they are live. */
export const LiveStatus = ({ connection }: { connection: string }) => {
  const t = useTranslations('shell.live');
  const format = useFormat();
  const live = useLive();
  const { data } = useQuery(shellQueries.connections());
  const known = data?.items.find((item) => item.id === connection);
  const gone = known?.status === 'unreachable';
  const status = gone ? 'gap' : live.status;
  const reason = gone ? known.statusReason : live.reason;
  const { points } = live;
  const last = points.at(-1);
  const fresh = status === 'live' && last;
  return (
    <span className={classes.live} title={reason ?? t(status)}>
      <span className={classes.dot} data-status={status} aria-hidden />
      {fresh ? (
        <span>
          {last.latencyMs !== null && `${format.ms(last.latencyMs)} · `}
          {t('ops', { count: format.count(last.opsPerSecond) })}
        </span>
      ) : (
        <span>{t(status)}</span>
      )}
    </span>
  );
};
