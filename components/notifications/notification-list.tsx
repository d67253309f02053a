'use client';

import { Alert, Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconBellRinging, IconEdit, IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { textColumn } from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { FailingSince } from '@/components/patterns/failing-since';
import { HostileText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';
import type { Result } from '@/lib/contract';
import { epochOf } from '@/lib/format';
import { type Notification, notificationContracts } from '@/lib/notifications/schema';
import { MINUTE } from '@/lib/time';

type Page = Result<typeof notificationContracts.list>;

const NotificationDrawer = onDemand(async () => (await import('./notification-drawer')).NotificationDrawer);

const CreateButton = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('notifications');
  const create = useOpened<'new'>();
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => create.open('new')}
      >
        {t('create')}
      </Button>
      <NotificationDrawer key={create.key} row={null} page={page} {...create.props} />
    </>
  );
};

/** The log is read every two seconds. */
const NotFollowed = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('notifications.notFollowed');
  const now = useNow();
  const at = epochOf(page?.followedAt);
  const isOld = page !== undefined && now !== null && (at === null || at < now - MINUTE);
  return (
    isOld && (
      <Alert color="orange" icon={<IconAlertTriangle size={18} />} mb="sm" title={t('title')} role="status">
        {t('note')}
      </Alert>
    )
  );
};

const AboutText = ({ about }: Pick<Notification, 'about'>) => {
  const t = useTranslations('notifications.about');
  return about.map((subject) => (
    <Text key={subject} size="sm">
      {t(subject)}
    </Text>
  ));
};

const WhenText = ({ when, hour, timeZone }: Notification) => {
  const t = useTranslations('notifications');
  return when === 'now' ? t('when.now') : t('dailyAt', { hour, zone: timeZone });
};

/** The channels, each with why messages do not arrive. */
const Channels = ({ channels, waiting }: Notification) => {
  const t = useTranslations('notifications');
  return (
    <>
      {channels.map(({ connection, channel, name, kind, failingSince, error }) => (
        <div key={`${connection}/${channel}`}>
          {kind === null ? (
            <Text size="sm" c="var(--kw-bad-text)">
              {t('deletedChannel')}
            </Text>
          ) : (
            <HostileText max={60}>{`${name} · ${connection}`}</HostileText>
          )}
          <FailingSince failingSince={failingSince} error={error} />
        </div>
      ))}
      {waiting > 0 && <Dimmed size="xs">{t('waiting', { count: waiting })}</Dimmed>}
    </>
  );
};

const permission = 'users:manage';

/** What is sent from the audit log, and where; for admins. */
export const NOTIFICATIONS = declareList({
  contract: notificationContracts.list,
  texts: 'notifications',
  name: 'notifications',
  icon: IconBellRinging,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: 15_000,
  intro: NotFollowed,
  buttons: CreateButton,
  columns: [
    textColumn<Notification>({
      id: 'notification',
      width: 220,
      max: 100,
      pinned: true,
      of: ({ name }) => name,
    }),
    {
      id: 'about',
      width: 240,
      cell: ({ about }) => <AboutText about={about} />,
      value: ({ about }) => about.join(', '),
    },
    { id: 'when', width: 200, cell: (row) => <WhenText {...row} />, value: ({ when }) => when },
    {
      id: 'channels',
      width: 280,
      cell: (row) => <Channels {...row} />,
      value: ({ channels }) => channels.map(({ name }) => name).join(', '),
    },
  ],
  isMenu: true,
  actions: {
    edit: { permission, icon: IconEdit, drawer: NotificationDrawer },
    delete: {
      permission,
      icon: IconTrash,
      isRed: true,
      drawer: onDemand(async () => (await import('./delete-notification')).DeleteNotification),
    },
  },
});
