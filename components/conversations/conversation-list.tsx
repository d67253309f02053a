'use client';

import { Badge, Box, Group, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { ListPage } from '@/components/contract-list/list-page';
import { countColumn, durationColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { entityHref, kindRef } from '@/components/patterns/entity-link';
import { EntityText } from '@/components/patterns/entity-text';
import { FilterSelect } from '@/components/patterns/filter-select';
import { HostileText } from '@/components/patterns/hostile-text';
import { kindLabel } from '@/components/patterns/kind-label';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { type ConversationRow, conversationContracts } from '@/lib/conversations/schema';
import type { EntityKindRow } from '@/lib/entities/schema';
import { MessageText } from './message-text';

const SHOWN = 100;
const NO_KINDS: EntityKindRow[] = [];

/** The kinds of conversations; none while they are loading. */
const useKinds = (): EntityKindRow[] => {
  const { id } = useConnection();
  const { data } = useQuery(entityKindsQuery(id));
  return data?.items.filter(({ conversation }) => conversation) ?? NO_KINDS;
};

const KindSelect = ({ url, onChange }: ListPartProps) => {
  const t = useTranslations('conversations.rooms');
  const tWord = useTranslations('words');
  const kinds = useKinds();
  return (
    <FilterSelect
      label={tWord('kind')}
      any={t('anyKind')}
      data={kinds.map((kind) => ({ value: kind.ref, label: kindLabel(kinds, kind) }))}
      value={url.kind ?? ''}
      onChange={(kind) => onChange({ kind })}
    />
  );
};

const KindCell = ({ room: { kind, app } }: { room: ConversationRow }) => {
  const kinds = useKinds();
  const known = kinds.find((candidate) => candidate.kind === kind && candidate.app === app);
  return <HostileText max={60}>{known ? kindLabel(kinds, known) : kind}</HostileText>;
};

const TitleCell = ({ room }: { room: ConversationRow }) => {
  const t = useTranslations('conversations.rooms.problem');
  return (
    <Group gap={6}>
      <EntityText of={room} max={SHOWN} />
      {room.problem && <Badge color="orange">{t(room.problem)}</Badge>}
    </Group>
  );
};

/** The sender's name if it is known, otherwise the stored text. */
const senderOf = (latest: ConversationRow['latest']): string | null =>
  latest?.senderRef?.title || (latest?.sender ?? null);

const LatestCell = ({ latest }: Pick<ConversationRow, 'latest'>) => {
  if (latest === null) return <HostileText>{null}</HostileText>;
  const sender = senderOf(latest);
  return (
    <Box component="span" display="block" miw={0}>
      <SmallNote>
        <RelativeTime at={latest.at} />
        {sender !== null && (
          <>
            {' · '}
            <HostileText max={30}>{sender}</HostileText>
          </>
        )}
      </SmallNote>
      <Text span inherit lineClamp={2}>
        <MessageText message={latest} max={SHOWN} />
      </Text>
    </Box>
  );
};

const PerHour = ({ value }: { value: number | null }) => <span>{useFormat().number(value)}</span>;

/** The conversations of a connection, as a scan finds them. */
export const ROOMS = declareList({
  contract: conversationContracts.list,
  texts: 'conversations.rooms',
  name: 'rooms',
  icon: IconMessages,
  rowId: ({ app, kind, id }) => JSON.stringify([app, kind, id]),
  rowName: ({ title }) => title,
  everyMs: false,
  scan: { keys: ({ total }) => total },
  search: 'plain',
  facets: { names: ['kind'], of: KindSelect, inBar: true },
  columns: [
    {
      id: 'title',
      width: 220,
      pinned: true,
      cell: (room) => <TitleCell room={room} />,
    },
    { id: 'kind', width: 150, cell: (room) => <KindCell room={room} />, value: kindRef },
    countColumn<ConversationRow>({ id: 'members', width: 90 }),
    countColumn<ConversationRow>({ id: 'messages', width: 100 }),
    {
      id: 'perHour',
      width: 90,
      align: 'right',
      cell: ({ perHour }) => <PerHour value={perHour} />,
    },
    {
      id: 'latest',
      width: 320,
      cell: ({ latest }) => <LatestCell latest={latest} />,
      value: ({ latest }) => latest?.content ?? null,
    },
    // The cell above has them too: these are for the export.
    timeColumn<ConversationRow>({
      id: 'latestAt',
      width: 90,
      hiddenAtFirst: true,
      of: ({ latest }) => latest?.at ?? null,
    }),
    textColumn<ConversationRow>({
      id: 'latestSender',
      width: 120,
      hiddenAtFirst: true,
      of: ({ latest }) => senderOf(latest),
    }),
    durationColumn<ConversationRow>({
      id: 'ttl',
      width: 90,
      hiddenAtFirst: true,
      of: ({ ttlSeconds }) => ttlSeconds,
    }),
  ],
  hrefOf: (connection, room) => (room.linkable ? entityHref(connection, room) : null),
});

const TABS = { rooms: { list: ROOMS } };

/** Chats and rooms, each with its latest message. */
export const ConversationsPage = () => <ListPage texts="conversations.rooms" tabs={TABS} />;
