'use client';

import { Badge } from '@mantine/core';
import { IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import {
  declareList,
  type ListPartProps,
  type RowDrawerProps,
} from '@/components/contract-list/declare-list';
import { keyColumn } from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { EntityText } from '@/components/patterns/entity-text';
import { FigureRow } from '@/components/patterns/figure-row';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { KeyLink } from '@/components/patterns/key-link';
import { onDemand } from '@/components/patterns/on-demand';
import { Tooltip } from '@/components/patterns/tooltip';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';
import { type OnlineUser, presenceContracts } from '@/lib/presence/schema';

type Page = Result<typeof presenceContracts.get>;

const Figures = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('presence.figure');
  const figures = [
    { id: 'online', name: t('online'), value: page?.online, note: t('onlineNote') },
    {
      id: 'withoutProfile',
      name: t('withoutProfile'),
      value: page?.withoutProfile,
      note: t(page?.withoutProfile === null ? 'tooMany' : 'withoutProfileNote'),
    },
  ];
  return <FigureRow label={t('label')} figures={figures} loading={page === undefined} />;
};

const ListedIn = ({ of: page }: { of: Page | undefined }) => {
  const t = useTranslations('presence');
  if (!page) return NO_STATUS;
  return t.rich('listed', {
    key: () => (
      <KeyLink keyId={page.keyId} underline="always">
        {page.key}
      </KeyLink>
    ),
  });
};

const More = ({ complete }: { complete: boolean }) => {
  const t = useTranslations('presence');
  return complete ? null : t('more');
};

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
  if (profile === 'stored') return <Dimmed span>{t('stored')}</Dimmed>;
  return (
    <Tooltip label={t(`means.${profile}`)} multiline w={280}>
      <span>
        <Badge color="orange">{t(profile)}</Badge>
      </span>
    </Tooltip>
  );
};

const OfflineDrawer = onDemand(
  async () => (await import('@/components/patterns/offline-drawer')).OfflineDrawer,
);

/** A member that cannot be an id is shown altered or masked, so it is addressed by its bytes. */
const OfflineUser = ({ row: user, current: _, ...drawer }: RowDrawerProps<OnlineUser>) => {
  const named = user && !user.linkable ? { memberId: user.memberId } : { userId: user?.id ?? '' };
  return <OfflineDrawer {...drawer} user={user} named={named} />;
};

/** The users online, with their profiles. */
export const ONLINE = declareList({
  contract: presenceContracts.get,
  texts: 'presence',
  name: 'online',
  icon: IconUserCheck,
  rowId: ({ memberId }) => memberId,
  rowName: ({ title, id }) => title ?? id,
  everyMs: 10_000,
  scan: { keys: ({ online }) => online, note: More },
  intro: Figures,
  search: 'plain',
  status: ListedIn,
  columns: [
    {
      id: 'user',
      width: 180,
      pinned: true,
      cell: (user) => <EntityText of={user} />,
      value: ({ title, id }) => title ?? id,
    },
    keyColumn<OnlineUser>({ id: 'id', width: 210, max: 60 }),
    {
      id: 'profile',
      width: 110,
      cell: (user) => <ProfileCell profile={profileOf(user)} />,
      value: profileOf,
    },
  ],
  actions: {
    offline: {
      permission: 'keys:write',
      icon: IconUserOff,
      // A member of more than 8 KiB has only a digest, so it is removed on the page of the key.
      isOffered: ({ memberId }) => !memberId.startsWith('h.'),
      drawer: OfflineUser,
    },
  },
});
