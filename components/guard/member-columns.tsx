'use client';

import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { Count } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { visibleText } from '@/lib/visible-text';
import type { GuardSet, Member } from './queries';

const Mark = ({ color, children }: { color: string; children: ReactNode }) => (
  <Badge color={color} variant="light" tt="none">
    {children}
  </Badge>
);

const MemberCell = ({ set, member }: { set: GuardSet; member: Member }) => {
  const t = useTranslations('guard');
  return (
    <>
      <Group gap={6}>
        <KeyText max={100}>{member.member}</KeyText>
        {!member.valid && <Mark color="orange">{t(`${set}.neverMatches`)}</Mark>}
        {member.own && <Mark color="red">{t('own.mark')}</Mark>}
        {member.protected && (
          <Tooltip label={t('protectedMeans')} multiline w={260}>
            <span>
              <Mark color="orange">{t('answers.protected')}</Mark>
            </span>
          </Tooltip>
        )}
      </Group>
      {!member.valid && (
        <Text size="xs" c="dimmed">
          {member.neverMatches ?? t('projects.invalid')}
        </Text>
      )}
    </>
  );
};

const EndCell = ({ expiresAt, notLifted }: Pick<Member, 'expiresAt' | 'notLifted'>) => {
  const t = useTranslations('guard.end');
  if (expiresAt === null)
    return (
      <Text span size="xs" c="dimmed">
        {t('never')}
      </Text>
    );
  return (
    <>
      <RelativeTime at={expiresAt} />
      {notLifted && (
        <Text size="xs" c="var(--kw-warn-text)">
          {t('notLifted')} <HostileText max={160}>{notLifted}</HostileText>
        </Text>
      )}
    </>
  );
};

const useBanColumns = (): DataColumn<Member>[] => {
  const t = useTranslations('guard.column');
  return useMemo(
    () => [
      {
        id: 'note',
        header: t('note'),
        width: 240,
        cell: ({ note }) => <HostileText max={160}>{note}</HostileText>,
        value: ({ note }) => note,
      },
      {
        id: 'author',
        header: t('author'),
        width: 140,
        cell: ({ author }) => <HostileText max={60}>{author}</HostileText>,
        value: ({ author }) => author,
      },
      {
        id: 'bannedAt',
        header: t('since'),
        width: 90,
        cell: ({ bannedAt }) => <RelativeTime at={bannedAt} />,
        value: ({ bannedAt }) => bannedAt,
      },
      {
        id: 'expiresAt',
        header: t('ends'),
        width: 100,
        cell: (member) => <EndCell {...member} />,
        value: ({ expiresAt }) => expiresAt,
      },
      {
        id: 'requests',
        header: t('requestsNow'),
        width: 115,
        align: 'right',
        cell: ({ requests }) => <Count value={requests} />,
        value: ({ requests }) => requests,
      },
    ],
    [t],
  );
};

interface RowActions {
  set: GuardSet;
  onEdit: (member: Member) => void;
  onRemove: (member: Member) => void;
}

const ActionsCell = ({ set, member, onEdit, onRemove }: RowActions & { member: Member }) => {
  const t = useTranslations('guard');
  const what = visibleText(member.member, 60);
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      {set === 'blacklist' && (
        <Tooltip label={t('annotate.title')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t('annotate.of', { what })}
            onClick={() => onEdit(member)}
          >
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={t(`${set}.remove.verb`, { count: 1 })}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t('removeOf', { what })}
          onClick={() => onRemove(member)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
};

/** `actions` absent: whoever looks may not change anything. */
export const useMemberColumns = (set: GuardSet, actions: RowActions | undefined): DataColumn<Member>[] => {
  const t = useTranslations('guard');
  const ofBans = useBanColumns();
  return useMemo(() => {
    const columns: DataColumn<Member>[] = [
      {
        id: 'member',
        header: t(`${set}.column`),
        width: 265,
        pinned: true,
        cell: (member) => <MemberCell set={set} member={member} />,
        value: ({ member }) => member,
      },
      ...(set === 'blacklist' ? ofBans : []),
    ];
    if (actions)
      columns.push({
        id: 'actions',
        header: '',
        width: 84,
        pinned: true,
        align: 'right',
        cell: (member) => <ActionsCell {...actions} member={member} />,
      });
    return columns;
  }, [t, set, ofBans, actions]);
};
