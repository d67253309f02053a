'use client';

import { Tooltip } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { epochOf, UNKNOWN } from '@/lib/format';
import { useNow } from './now';
import { useOutage } from './outage';
import { useFormat } from './use-format';

/** Where `format.relative` says "now". */
const isRecent = (ms: number): boolean => ms >= 0 && ms < 10_000;

/** "2 min ago", ticking; the absolute time in the reader's zone on hover and focus. `at` is a wire time. */
export const RelativeTime = ({ at }: { at: string | null | undefined }) => {
  const t = useTranslations('patterns');
  const outage = useOutage();
  // Nothing is from "now" while Redis is unreachable.
  const now = useNow(outage ? 'second' : 'tenSeconds');
  const format = useFormat();
  const epoch = epochOf(at);
  if (epoch === null) return <span>{UNKNOWN}</span>;
  return (
    <Tooltip label={format.absolute(epoch)}>
      <time dateTime={at ?? undefined} style={{ whiteSpace: 'nowrap' }}>
        {now === null
          ? at?.slice(0, 16).replace('T', ' ')
          : outage && isRecent(now - epoch)
            ? t('secondsAgo', { seconds: Math.max(1, Math.round((now - epoch) / 1000)) })
            : format.relative(epoch, Math.max(now, Date.now()))}
      </time>
    </Tooltip>
  );
};
