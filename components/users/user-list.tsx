'use client';

import { Badge, Group } from '@mantine/core';
import {
  IconDeviceMobileOff,
  IconHistory,
  IconLockPassword,
  IconLogout,
  IconMail,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type RowDrawerProps } from '@/components/contract-list/declare-list';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { changesHref } from '@/components/patterns/all-changes';
import { SmallNote } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useViewer } from '@/components/patterns/viewer';
import { type User, userContracts } from '@/lib/users/schema';
import type { UserChange } from './change-user';

const ResetSecondFactor = onDemand(async () => (await import('./reset-second-factor')).ResetSecondFactor);
const ChangeUser = onDemand(async () => (await import('./change-user')).ChangeUser);
const ResetPassword = onDemand(async () => (await import('./user-link')).ResetPassword);
const InviteAgain = onDemand(async () => (await import('./user-link')).InviteAgain);
const WithdrawInvitation = onDemand(async () => (await import('./user-link')).WithdrawInvitation);

const stateOf = ({ changedOutside, disabled, invited, linkUntil }: User) => {
  if (changedOutside) return 'changedOutside';
  if (disabled) return 'disabled';
  if (!invited) return 'active';
  return linkUntil === null ? 'expired' : 'invited';
};
const COLORS = {
  active: 'green',
  invited: 'gray',
  expired: 'orange',
  disabled: 'red',
  changedOutside: 'red',
};

const NameCell = ({ user: { id, name } }: { user: User }) => {
  const t = useTranslations('users');
  return (
    <Group gap={6}>
      <HostileText max={60}>{name}</HostileText>
      {id === useViewer().id && (
        <Badge size="sm" color="gray">
          {t('you')}
        </Badge>
      )}
    </Group>
  );
};

const RoleText = ({ user: { role } }: { user: User }) => {
  const t = useTranslations('users');
  return t(`role.${role}`);
};

const SecondFactorText = ({ user: { secondFactor } }: { user: User }) => {
  const t = useTranslations('users');
  return t(secondFactor ? 'hasSecondFactor' : 'noSecondFactor');
};

const StateBadge = ({ user }: { user: User }) => {
  const t = useTranslations('users');
  const state = stateOf(user);
  return (
    <Group gap={6} wrap="nowrap">
      <Badge color={COLORS[state]}>{t(state)}</Badge>
      {state === 'invited' && (
        <SmallNote>
          <RelativeTime at={user.linkUntil} />
        </SmallNote>
      )}
    </Group>
  );
};

export const TimeOrNever = ({ at }: { at: string | null }) => {
  const t = useTranslations('users');
  return at === null ? t('never') : <RelativeTime at={at} />;
};

const isOurs = ({ changedOutside }: User): boolean => !changedOutside;
const hasAccount = (user: User): boolean => isOurs(user) && !user.invited;
/** Invited but never signed in: the invitation is withdrawn, instead of disabling the user. */
const isAwaited = (user: User): boolean => isOurs(user) && user.invited && user.lastSeenAt === null;
const permission = 'users:manage';

const changeOf =
  (change: UserChange) =>
  ({ row, opened, onClose, onClosed }: RowDrawerProps<User>) =>
    row && <ChangeUser user={row} change={change} opened={opened} onClose={onClose} onClosed={onClosed} />;

const drawerOf =
  (Drawer: typeof ResetPassword) =>
  ({ row, opened, onClose, onClosed }: RowDrawerProps<User>) =>
    row && <Drawer user={row} opened={opened} onClose={onClose} onClosed={onClosed} />;

/** The console's users, oldest first. */
export const USERS = declareList({
  contract: userContracts.list,
  texts: 'users',
  name: 'users',
  icon: IconUsers,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: 30_000,
  search: 'plain',
  columns: [
    {
      id: 'name',
      width: 220,
      pinned: true,
      cell: (user) => <NameCell user={user} />,
    },
    textColumn<User>({ id: 'email', width: 240, max: 80 }),
    {
      id: 'role',
      width: 118,
      least: 118,
      cell: (user) => <RoleText user={user} />,
    },
    {
      id: 'secondFactor',
      width: 120,
      cell: (user) => <SecondFactorText user={user} />,
    },
    { id: 'state', width: 170, cell: (user) => <StateBadge user={user} />, value: stateOf },
    {
      id: 'lastSeen',
      width: 130,
      cell: ({ lastSeenAt }) => <TimeOrNever at={lastSeenAt} />,
      value: ({ lastSeenAt }) => lastSeenAt,
    },
    timeColumn<User>({ id: 'created', width: 130, of: ({ createdAt }) => createdAt }),
  ],
  isMenu: true,
  actions: {
    role: { permission, icon: IconUserShield, isOffered: isOurs, drawer: changeOf('role') },
    enable: {
      permission,
      icon: IconUserCheck,
      isOffered: (user) => stateOf(user) === 'disabled',
      drawer: changeOf('enable'),
    },
    disable: {
      permission,
      icon: IconUserOff,
      isRed: true,
      isOffered: (user) => stateOf(user) !== 'disabled' && !isAwaited(user),
      drawer: changeOf('disable'),
    },
    invite: {
      permission,
      icon: IconMail,
      isOffered: (user) => isOurs(user) && user.invited && !user.disabled,
      drawer: drawerOf(InviteAgain),
    },
    withdraw: {
      permission,
      icon: IconTrash,
      isRed: true,
      isOffered: isAwaited,
      drawer: drawerOf(WithdrawInvitation),
    },
    password: {
      permission,
      icon: IconLockPassword,
      isOffered: (user) => hasAccount(user) || (isOurs(user) && user.disabled),
      drawer: drawerOf(ResetPassword),
    },
    signOut: { permission, icon: IconLogout, isOffered: hasAccount, drawer: changeOf('signOut') },
    secondFactor: {
      permission,
      icon: IconDeviceMobileOff,
      isOffered: ({ secondFactor }) => secondFactor,
      drawer: drawerOf(ResetSecondFactor),
    },
    changes: {
      permission: 'audit:view',
      icon: IconHistory,
      hrefOf: ({ email }) => changesHref(undefined, { kind: 'account', name: email }),
    },
  },
});
