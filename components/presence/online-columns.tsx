'use client';

import { Badge, Text } from '@mantine/core';
import { IconUserOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { EntityText } from '@/components/patterns/entity-text';
import { Tooltip } from '@/components/patterns/tooltip';
import { UNKNOWN } from '@/lib/format';
import type { OnlineUser } from '@/lib/presence/schema';
import { visibleText } from '@/lib/visible-text';

/** A digest names no member: one of more than 8 KiB is removed on the page of the key. */
const isNamed = ({ memberId }: OnlineUser): boolean => !memberId.startsWith('h.');

/** What is known of the profile of a user online. */
type Profile = 'stored' | 'missing' | 'notAnId' | 'unknown';

const profileOf = ({ exists, linkable }: OnlineUser): Profile => {
  if (!linkable) return 'notAnId';
  if (exists === null) return 'unknown';
  return exists ? 'stored' : 'missing';
};

const ProfileCell = ({ profile }: { profile: Profile }) => {
  const t = useTranslations('presence.profile');
  if (profile === 'unknown') return <span>{UNKNOWN}</span>;
  if (profile === 'stored')
    return (
      <Text span size="sm" c="dimmed">
        {t('stored')}
      </Text>
    );
  return (
    <Tooltip label={t(`means.${profile}`)} multiline w={280}>
      <span>
        <Badge color="orange">{t(profile)}</Badge>
      </span>
    </Tooltip>
  );
};

/** `onOffline` absent: without the permission to change. */
export const useOnlineColumns = (
  onOffline: ((user: OnlineUser) => void) | undefined,
): DataColumn<OnlineUser>[] => {
  const t = useTranslations('presence');
  return useMemo(() => {
    const columns: DataColumn<OnlineUser>[] = [
      {
        id: 'user',
        header: t('column.user'),
        width: 180,
        pinned: true,
        cell: (user) => <EntityText of={user} />,
        value: ({ title, id }) => title ?? id,
      },
      keyColumn({ id: 'id', header: t('column.id'), width: 210, max: 60, of: ({ id }) => id }),
      {
        id: 'profile',
        header: t('column.profile'),
        width: 110,
        cell: (user) => <ProfileCell profile={profileOf(user)} />,
        value: (user) => profileOf(user),
      },
    ];
    if (onOffline)
      columns.push(
        actionsColumn({
          width: 64,
          cell: (user) =>
            isNamed(user) && (
              <RowButton
                hint={t('offline.verb')}
                label={t('offline.of', { user: visibleText(user.title ?? user.id, 60) })}
                icon={<IconUserOff size={16} />}
                onClick={() => onOffline(user)}
              />
            ),
        }),
      );
    return columns;
  }, [t, onOffline]);
};
