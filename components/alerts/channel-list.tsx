'use client';

import { Alert, Button } from '@mantine/core';
import { IconEdit, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { countColumn, keyColumn, textColumn } from '@/components/data-table/column-kinds';
import { FailingSince } from '@/components/patterns/failing-since';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';
import { type AlertChannel, alertChannelContracts } from '@/lib/alerts/channels/schema';
import type { Result } from '@/lib/contract';

type Page = Result<typeof alertChannelContracts.list>;

const ChannelDrawer = onDemand(async () => (await import('./channel-drawer')).ChannelDrawer);

const CreateButton = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('alerts.channel');
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
      <ChannelDrawer key={create.key} row={null} page={page} {...create.props} />
    </>
  );
};

const NoMail = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('alerts.channel');
  const isMissing = page?.mail === false && page.items.some(({ kind }) => kind === 'email');
  return (
    isMissing && (
      <Alert color="orange" mb="sm">
        {t('noMail')}
      </Alert>
    )
  );
};

const KindText = ({ kind }: Pick<AlertChannel, 'kind'>) => {
  const t = useTranslations('alerts.kind');
  return t(kind);
};

const permission = 'users:manage';

/** Where alerts are delivered; for admins. */
export const CHANNELS = declareList({
  contract: alertChannelContracts.list,
  texts: 'alerts.channel',
  name: 'alert-channels',
  icon: IconSend,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: false,
  intro: NoMail,
  buttons: CreateButton,
  columns: [
    textColumn<AlertChannel>({ id: 'channel', width: 220, max: 100, pinned: true, of: ({ name }) => name }),
    { id: 'kind', width: 120, cell: ({ kind }) => <KindText kind={kind} />, value: ({ kind }) => kind },
    keyColumn<AlertChannel>({ id: 'target', width: 260 }),
    countColumn<AlertChannel>({ id: 'rules', width: 90 }),
    {
      id: 'delivery',
      width: 240,
      cell: (channel) => <FailingSince {...channel} />,
      value: ({ error }) => error,
    },
  ],
  isMenu: true,
  actions: {
    test: {
      permission,
      icon: IconSend,
      drawer: onDemand(async () => (await import('./test-drawer')).TestDrawer),
    },
    edit: { permission, icon: IconEdit, drawer: ChannelDrawer },
    delete: {
      permission,
      icon: IconTrash,
      isRed: true,
      drawer: onDemand(async () => (await import('./delete-channel')).DeleteChannel),
    },
  },
});
