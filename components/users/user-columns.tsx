'use client';

import { Badge, Group, Menu } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { MoreMenu } from '@/components/patterns/more-menu';
import { useViewer } from '@/components/patterns/viewer';
import type { User } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';
import type { UserChange } from './change-user';

const stateOf = (user: User) => {
  if (user.changedOutside) return 'changedOutside';
  return user.disabled ? 'disabled' : 'active';
};

type OnChange = (user: User, change: UserChange) => void;

const UserMenu = ({ user, onChange }: { user: User; onChange: OnChange }) => {
  const t = useTranslations('users');
  const changes: UserChange[] = user.changedOutside
    ? ['disable']
    : ['role', user.disabled ? 'enable' : 'disable', 'password', 'signOut'];
  return (
    <MoreMenu label={t('changeUser', { name: visibleText(user.name, 60) })}>
      {changes.map((change) => (
        <Menu.Item
          key={change}
          color={change === 'disable' ? 'red' : undefined}
          onClick={() => onChange(user, change)}
        >
          {t(`menu.${change}`)}
        </Menu.Item>
      ))}
    </MoreMenu>
  );
};

/** Columns of the users table; `onChange` opens a change drawer. */
export const useUserColumns = (onChange: OnChange): DataColumn<User>[] => {
  const t = useTranslations('users');
  const viewer = useViewer();
  return useMemo(
    (): DataColumn<User>[] => [
      {
        id: 'name',
        header: t('column.name'),
        width: 220,
        pinned: true,
        cell: (user) => (
          <Group gap={6}>
            <HostileText max={60}>{user.name}</HostileText>
            {user.id === viewer.id && <Badge size="xs">{t('you')}</Badge>}
          </Group>
        ),
        value: (user) => user.name,
      },
      textColumn({ id: 'email', header: t('column.email'), width: 240, max: 80, of: (user) => user.email }),
      {
        id: 'role',
        header: t('column.role'),
        width: 110,
        cell: (user) => t(`role.${user.role}`),
        value: (user) => user.role,
      },
      {
        id: 'state',
        header: t('column.state'),
        width: 110,
        cell: (user) => (
          <Badge color={stateOf(user) === 'active' ? 'green' : 'red'}>{t(stateOf(user))}</Badge>
        ),
        value: stateOf,
      },
      timeColumn({
        id: 'lastSeen',
        header: t('column.lastSeen'),
        width: 130,
        none: t('never'),
        of: (user) => user.lastSeenAt,
      }),
      timeColumn({ id: 'created', header: t('column.created'), width: 130, of: (user) => user.createdAt }),
      actionsColumn({
        width: 60,
        cell: (user) => <UserMenu user={user} onChange={onChange} />,
      }),
    ],
    [t, viewer.id, onChange],
  );
};
