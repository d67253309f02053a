'use client';

import { useTranslations } from 'next-intl';
import { useOutage } from '@/components/patterns/outage';
import { useFormat } from '@/components/patterns/use-format';
import classes from './header.module.css';
import { useLive } from './live';

/** Latency and operations per second, and whether they are live. */
export const LiveStatus = () => {
  const t = useTranslations('shell.live');
  const format = useFormat();
  const live = useLive();
  const outage = useOutage();
  const status = outage && outage.of !== 'part' && live.status === 'live' ? 'unreachable' : live.status;
  const reason = outage?.reason ?? live.reason;
  const last = live.points.at(-1);
  const fresh = status === 'live' && last;
  const note = status === 'otherConnections' ? t('otherConnectionsNote') : t(status);
  return (
    <span className={classes.live} title={reason ?? note}>
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
