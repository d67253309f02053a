'use client';

import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import classes from './header.module.css';
import { useLive } from './live';

/** Latency and operations a second, and whether they are live. */
export const LiveStatus = () => {
  const t = useTranslations('shell.live');
  const format = useFormat();
  const { status, points, reason } = useLive();
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
