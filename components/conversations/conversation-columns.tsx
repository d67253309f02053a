'use client';

import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { EntityText } from '@/components/patterns/entity-text';
import { Duration } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { kindLabel } from '@/components/patterns/kind-label';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { ConversationRow } from '@/lib/conversations/schema';
import type { EntityKindRow } from '@/lib/entities/schema';
import classes from './conversations.module.css';
import { MessageText } from './message-text';

const SHOWN = 100;

const TitleCell = ({ room }: { room: ConversationRow }) => {
  const t = useTranslations('conversations.rooms.problem');
  return (
    <Group gap={6}>
      <EntityText of={room} max={SHOWN} />
      {room.problem && <Badge color="orange">{t(room.problem)}</Badge>}
    </Group>
  );
};

/** The name of who wrote a message where it is known; what is stored otherwise. */
const senderOf = (latest: ConversationRow['latest']): string | null =>
  latest?.senderRef?.title || (latest?.sender ?? null);

const LatestCell = ({ latest }: Pick<ConversationRow, 'latest'>) => {
  if (latest === null) return <HostileText>{null}</HostileText>;
  const sender = senderOf(latest);
  return (
    <span className={classes.latest}>
      <Text span size="xs" c="dimmed">
        <RelativeTime at={latest.at} />
        {sender !== null && (
          <>
            {' · '}
            <HostileText max={30}>{sender}</HostileText>
          </>
        )}
      </Text>
      <span className={classes.cut}>
        <MessageText message={latest} max={SHOWN} />
      </span>
    </span>
  );
};

const PerHour = ({ value }: { value: number | null }) => <span>{useFormat().number(value)}</span>;

export const useRoomColumns = (kinds: readonly EntityKindRow[]): DataColumn<ConversationRow>[] => {
  const t = useTranslations('conversations.rooms.column');
  return useMemo((): DataColumn<ConversationRow>[] => {
    const kindOf = ({ kind, app }: ConversationRow): string => {
      const known = kinds.find((each) => each.kind === kind && each.app === app);
      return known ? kindLabel(kinds, known) : kind;
    };
    return [
      {
        id: 'title',
        header: t('title'),
        width: 220,
        pinned: true,
        cell: (room) => <TitleCell room={room} />,
        value: ({ title }) => title,
      },
      textColumn({ id: 'kind', header: t('kind'), width: 150, of: kindOf }),
      countColumn({ id: 'members', header: t('members'), width: 90, of: ({ members }) => members }),
      countColumn({ id: 'messages', header: t('messages'), width: 100, of: ({ messages }) => messages }),
      {
        id: 'perHour',
        header: t('perHour'),
        width: 90,
        align: 'right',
        cell: ({ perHour }) => <PerHour value={perHour} />,
        value: ({ perHour }) => perHour,
      },
      {
        id: 'latest',
        header: t('latest'),
        width: 320,
        cell: ({ latest }) => <LatestCell latest={latest} />,
        value: ({ latest }) => latest?.content ?? null,
      },
      // The cell above has them too: these are for the export.
      timeColumn({
        id: 'latestAt',
        header: t('latestAt'),
        width: 90,
        hiddenAtFirst: true,
        of: ({ latest }) => latest?.at ?? null,
      }),
      textColumn({
        id: 'latestSender',
        header: t('latestSender'),
        width: 120,
        hiddenAtFirst: true,
        of: ({ latest }) => senderOf(latest),
      }),
      {
        id: 'ttl',
        header: t('ttl'),
        width: 90,
        align: 'right',
        hiddenAtFirst: true,
        cell: ({ ttlSeconds }) => <Duration value={ttlSeconds} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ];
  }, [t, kinds]);
};
