'use client';

import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { visibleText } from '@/lib/visible-text';
import type { GuardSet, Member } from './queries';

const MemberCell = ({ set, member }: { set: GuardSet; member: Member }) => {
  const t = useTranslations('guard');
  return (
    <>
      <Group gap={6}>
        <KeyText max={100}>{member.member}</KeyText>
        {!member.valid && (
          <Badge color="orange" variant="light" tt="none">
            {t(`${set}.neverMatches`)}
          </Badge>
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

/** `onRemove` absent: whoever looks may not change anything. */
export const useMemberColumns = (
  set: GuardSet,
  onRemove: ((member: Member) => void) | undefined,
): DataColumn<Member>[] => {
  const t = useTranslations('guard');
  return useMemo(() => {
    const columns: DataColumn<Member>[] = [
      {
        id: 'member',
        header: t(`${set}.column`),
        width: 300,
        pinned: true,
        cell: (member) => <MemberCell set={set} member={member} />,
        value: ({ member }) => member,
      },
    ];
    if (set === 'blacklist')
      columns.push(
        {
          id: 'note',
          header: t('column.note'),
          width: 300,
          cell: ({ note }) => <HostileText max={160}>{note}</HostileText>,
          value: ({ note }) => note,
        },
        {
          id: 'author',
          header: t('column.author'),
          width: 180,
          cell: ({ author }) => <HostileText max={60}>{author}</HostileText>,
          value: ({ author }) => author,
        },
        {
          id: 'expiresAt',
          header: t('column.ends'),
          width: 110,
          hiddenAtFirst: true,
          cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
          value: ({ expiresAt }) => expiresAt,
        },
      );
    if (onRemove)
      columns.push({
        id: 'remove',
        header: '',
        width: 56,
        pinned: true,
        align: 'right',
        cell: (member) => (
          <Tooltip label={t(`${set}.remove.verb`, { count: 1 })}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('removeOf', { what: visibleText(member.member, 60) })}
              onClick={() => onRemove(member)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        ),
      });
    return columns;
  }, [t, set, onRemove]);
};
