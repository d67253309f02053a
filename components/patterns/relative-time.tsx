'use client';

import { Tooltip } from '@mantine/core';
import { epochOf, UNKNOWN } from '@/lib/format';
import { useNow } from './now';
import { useFormat } from './use-format';

/** "2 min ago", ticking; the absolute time in the reader's zone on hover and focus. `at` is a wire time. */
export const RelativeTime = ({ at }: { at: string | null | undefined }) => {
  const now = useNow();
  const format = useFormat();
  const epoch = epochOf(at);
  if (epoch === null) return <span>{UNKNOWN}</span>;
  return (
    <Tooltip label={format.absolute(epoch)}>
      <time dateTime={at ?? undefined} style={{ whiteSpace: 'nowrap' }}>
        {now === null
          ? at?.slice(0, 16).replace('T', ' ')
          : format.relative(epoch, Math.max(now, Date.now()))}
      </time>
    </Tooltip>
  );
};
