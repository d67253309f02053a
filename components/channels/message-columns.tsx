'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, keyColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { useTimeZone } from '@/components/patterns/use-time-zone';
import type { LiveMessage } from '@/lib/live/schema';

const MAX_PREVIEW = 160;

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** `shout:456`, or what there is of it. */
const entityOf = ({ fields }: LiveMessage): string =>
  [fields.entity_type, fields.entity_id ?? fields['payload.id']].map(textOf).filter(Boolean).join(':');

const titleOf = ({ fields, payload }: LiveMessage): string =>
  textOf(fields['data.title'] ?? fields['payload.title']) || payload;

/** The time of day to the millisecond, in the user's zone. */
const useClock = (): ((at: string) => string) => {
  const zone = useTimeZone() ?? 'UTC';
  return useMemo(() => {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
      timeZone: zone,
    });
    return (at: string) => format.format(new Date(at));
  }, [zone]);
};

const KindCell = ({ message: { fields } }: { message: LiveMessage }) => (
  <>
    {[fields.type, fields.action]
      .map(textOf)
      .filter(Boolean)
      .map((word) => (
        <Badge key={word} color="gray" mr={4}>
          <HostileText max={30}>{word}</HostileText>
        </Badge>
      ))}
  </>
);

export const useMessageColumns = (): DataColumn<LiveMessage>[] => {
  const t = useTranslations('channels.message');
  const clock = useClock();
  return useMemo(
    () => [
      {
        id: 'at',
        header: t('at'),
        width: 110,
        cell: ({ at }) => <time dateTime={at}>{clock(at)}</time>,
        value: ({ at }) => at,
      },
      keyColumn({ id: 'channel', header: t('channel'), width: 170, max: 60, of: ({ channel }) => channel }),
      {
        id: 'kind',
        header: t('kind'),
        width: 160,
        cell: (message) => <KindCell message={message} />,
        value: ({ fields }) => [fields.type, fields.action].map(textOf).filter(Boolean).join(' '),
      },
      textColumn({
        id: 'entity',
        header: t('entity'),
        width: 110,
        of: (message) => entityOf(message) || null,
      }),
      {
        id: 'text',
        header: t('text'),
        width: 300,
        pinned: true,
        card: 'title',
        cell: (message) => <HostileText max={MAX_PREVIEW}>{titleOf(message)}</HostileText>,
        value: ({ payload }) => payload,
      },
      bytesColumn({
        id: 'bytes',
        header: t('bytes'),
        width: 80,
        hiddenAtFirst: true,
        of: ({ bytes }) => bytes,
      }),
    ],
    [t, clock],
  );
};
