'use client';

import { Badge, Group, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, countColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';
import { visibleText } from '@/lib/visible-text';
import type { GuardSet, Member } from './queries';

const MemberCell = ({ set, member }: { set: GuardSet; member: Member }) => {
  const t = useTranslations('guard');
  return (
    <>
      <Group gap={6}>
        <KeyText max={100}>{member.member}</KeyText>
        {!member.valid && <Badge color="orange">{t(`${set}.neverMatches`)}</Badge>}
        {member.own && <Badge color="red">{t('own.mark')}</Badge>}
        {member.protected && (
          <Tooltip label={t('protectedMeans')} multiline w={260}>
            <span>
              <Badge color="orange">{t('answers.protected')}</Badge>
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
      textColumn({ id: 'note', header: t('note'), width: 240, max: 160, of: ({ note }) => note }),
      textColumn({ id: 'author', header: t('author'), width: 140, of: ({ author }) => author }),
      timeColumn({ id: 'bannedAt', header: t('since'), width: 90, of: ({ bannedAt }) => bannedAt }),
      {
        id: 'expiresAt',
        header: t('ends'),
        width: 100,
        cell: (member) => <EndCell {...member} />,
        value: ({ expiresAt }) => expiresAt,
      },
      countColumn({
        id: 'requests',
        header: t('requestsNow'),
        width: 115,
        of: (row) => row.requestsExact ?? row.requests,
      }),
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
      {set === 'bans' && (
        <RowButton
          hint={t('annotate.title')}
          label={t('annotate.of', { what })}
          icon={<IconPencil size={16} />}
          onClick={() => onEdit(member)}
        />
      )}
      <RowButton
        hint={t(`${set}.remove.verb`, { count: 1 })}
        label={t('removeOf', { what })}
        icon={<IconTrash size={16} />}
        onClick={() => onRemove(member)}
      />
    </Group>
  );
};

/** `actions` absent: without the permission to change. */
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
      ...(set === 'bans' ? ofBans : []),
    ];
    if (actions)
      columns.push(
        actionsColumn({ width: 84, cell: (member) => <ActionsCell {...actions} member={member} /> }),
      );
    return columns;
  }, [t, set, ofBans, actions]);
};
