'use client';

import { useTranslations } from 'next-intl';
import { epochOf, UNKNOWN } from '@/lib/format';
import { useNow } from './now';
import { useOutage } from './outage';
import { Tooltip } from './tooltip';
import { useFormat } from './use-format';
import { useTimeZone } from './use-time-zone';

/** Where `format.relative` says "now". */
const isRecent = (ms: number): boolean => ms >= 0 && ms < 10_000;

const TwoZones = ({ epoch }: { epoch: number }) => {
  const format = useFormat();
  return (
    <>
      <div>{format.absolute(epoch)}</div>
      {useTimeZone() !== 'UTC' && <div>{format.absolute(epoch, 'UTC')}</div>}
    </>
  );
};

/** "2 min ago", ticking; on hover the time in the user's zone and in UTC. `at` is an ISO time. */
export const RelativeTime = ({ at }: { at: string | null | undefined }) => {
  const t = useTranslations('patterns');
  const outage = useOutage();
  // While Redis is unreachable nothing is shown as current, so the clock ticks every second.
  const now = useNow(outage ? 'second' : 'tenSeconds');
  const format = useFormat();
  const epoch = epochOf(at);
  if (epoch === null) return <span>{UNKNOWN}</span>;
  return (
    <Tooltip label={<TwoZones epoch={epoch} />}>
      <time dateTime={at ?? undefined} aria-live="off" style={{ whiteSpace: 'nowrap' }}>
        {now === null
          ? at?.slice(0, 16).replace('T', ' ')
          : outage && isRecent(now - epoch)
            ? t('secondsAgo', { seconds: Math.max(1, Math.round((now - epoch) / 1000)) })
            : format.relative(epoch, Math.max(now, Date.now()))}
      </time>
    </Tooltip>
  );
};

/** "22 Nov 2026, 22:15:03 CET"; on hover in UTC. `at` is an ISO time. */
export const AbsoluteTime = ({ at }: { at: string | null | undefined }) => {
  const zone = useTimeZone();
  const format = useFormat();
  const epoch = epochOf(at);
  if (epoch === null) return <span>{UNKNOWN}</span>;
  return (
    <Tooltip label={format.absolute(epoch, 'UTC')} disabled={zone === 'UTC'}>
      <time dateTime={at ?? undefined}>{format.absolute(epoch, zone ?? 'UTC')}</time>
    </Tooltip>
  );
};
