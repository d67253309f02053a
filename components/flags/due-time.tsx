'use client';

import { useTranslations } from 'next-intl';
import { useNow } from '@/components/patterns/now';
import { useFormat } from '@/components/patterns/use-format';
import { epochOf, UNKNOWN } from '@/lib/format';

/** "in 3 h", counting down to the second, then "due now". `at` is an ISO time. */
export const DueTime = ({ at }: { at: string }) => {
  const t = useTranslations('flags.schedule');
  const now = useNow('second');
  const format = useFormat();
  const epoch = epochOf(at);
  if (epoch === null || now === null) return <span>{UNKNOWN}</span>;
  return (
    <time dateTime={at} aria-live="off" style={{ whiteSpace: 'nowrap' }}>
      {epoch <= now ? t('due') : format.relative(epoch, now)}
    </time>
  );
};
