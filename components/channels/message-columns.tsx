'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { usePreferences } from '@/components/patterns/preferences';
import { useTimeZone } from '@/components/patterns/use-time-zone';
import type { LiveMessage } from '@/lib/channels/schema';
import { clockOptions, UNKNOWN } from '@/lib/format';

const MAX_PREVIEW = 160;

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** `shout:456`, or the part of it that is known. */
const entityOf = ({ fields }: LiveMessage): string =>
  [fields.entity_type, fields.entity_id ?? fields['payload.id']].map(textOf).filter(Boolean).join(':');

const titleOf = ({ fields, payload }: LiveMessage): string =>
  textOf(fields['data.title'] ?? fields['payload.title']) || payload;

/** The time of day to the millisecond, in the user's zone. */
const useClock = (): ((at: string) => string) => {
  const zone = useTimeZone() ?? 'UTC';
  const { hours } = usePreferences().preferences;
  return useMemo(() => {
    const format = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      ...clockOptions({ timeZone: zone, hours }),
    });
    return (at: string) => format.format(new Date(at));
  }, [zone, hours]);
};

const kindOf = ({ fields }: LiveMessage): string =>
  [fields.type, fields.action].map(textOf).filter(Boolean).join(' · ');

/** One line, because rows of equal height need no measuring, and up to a hundred arrive per second. */
const OneLine = ({ children, max }: { children: string; max: number }) => (
  <Text span inherit truncate display="block">
    <HostileText max={max}>{children}</HostileText>
  </Text>
);

export const useMessageColumns = (): DataColumn<LiveMessage>[] => {
  const t = useTranslations('channels.message');
  const tWord = useTranslations('words');
  const clock = useClock();
  return useMemo(
    () => [
      {
        id: 'at',
        header: tWord('time'),
        width: 105,
        cell: ({ at }) => <time dateTime={at}>{clock(at)}</time>,
      },
      {
        id: 'channel',
        header: tWord('channel'),
        width: 150,
        cell: ({ channel }) => <OneLine max={60}>{channel}</OneLine>,
      },
      {
        id: 'kind',
        header: tWord('kind'),
        width: 140,
        cell: (message) => (kindOf(message) ? <OneLine max={40}>{kindOf(message)}</OneLine> : UNKNOWN),
        value: kindOf,
      },
      {
        id: 'entity',
        header: tWord('entity'),
        width: 100,
        cell: (message) => (entityOf(message) ? <OneLine max={40}>{entityOf(message)}</OneLine> : UNKNOWN),
        value: (message) => entityOf(message) || null,
      },
      {
        id: 'text',
        header: t('title'),
        width: 260,
        pinned: true,
        card: 'title',
        cell: (message) => <OneLine max={MAX_PREVIEW}>{titleOf(message)}</OneLine>,
        value: ({ payload }) => payload,
      },
      bytesColumn({
        id: 'bytes',
        header: tWord('size'),
        width: 80,
        hiddenAtFirst: true,
      }),
    ],
    [t, clock, tWord],
  );
};
