'use client';

import { Alert, Button, Menu } from '@mantine/core';
import { IconEdit, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { actionsColumn, countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar } from '@/components/patterns/filter-bar';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { MoreMenu } from '@/components/patterns/more-menu';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { useOpened } from '@/components/patterns/use-opened';
import type { AlertChannel } from '@/lib/alerts/channels/schema';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { CreatedSecret } from './created-secret';
import { alertQueries } from './queries';

const ChannelDrawer = onDemand(async () => (await import('./channel-drawer')).ChannelDrawer);
const TestDrawer = onDemand(async () => (await import('./test-drawer')).TestDrawer);

const NONE: AlertChannel[] = [];

/** Where alerts are delivered; for admins. */
export const ChannelsTab = () => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const query = useQuery(alertQueries.channels(id));
  const edit = useOpened<AlertChannel | 'new'>();
  const test = useOpened<AlertChannel>();
  const remove = useOpened<AlertChannel>();
  const [secret, setSecret] = useState<string | null>(null);
  const columns = useColumns({ onEdit: edit.open, onTest: test.open, onDelete: remove.open });
  const deletion = useCommand(alertChannelContracts.delete, id);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <FilterBar
        actions={
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => edit.open('new')}
          >
            {t('channel.create')}
          </Button>
        }
      />
      {query.data?.mail === false && query.data.items.some(({ kind }) => kind === 'email') && (
        <Alert color="orange" mb="sm">
          {t('channel.noMail')}
        </Alert>
      )}
      <DataTable
        label={t('channel.label')}
        name="alert-channels"
        columns={columns}
        rows={query.data?.items ?? NONE}
        rowId={(channel) => channel.id}
        loading={query.isPending}
        empty={
          <EmptyState icon={<IconSend size={20} />} title={t('channel.empty')}>
            {t('channel.none')}
          </EmptyState>
        }
      />
      <ChannelDrawer
        key={edit.key}
        about={edit.about}
        mail={query.data?.mail ?? false}
        opened={edit.opened}
        onClose={edit.close}
        onClosed={edit.forget}
        onSecret={setSecret}
      />
      <TestDrawer
        key={`test-${test.key}`}
        channel={test.about}
        opened={test.opened}
        onClose={test.close}
        onClosed={test.forget}
      />
      <FormDrawer
        key={`delete-${remove.key}`}
        opened={remove.opened}
        onClose={remove.close}
        onClosed={remove.forget}
        onReadOnly
        destructive
        title={t('channel.deleteTitle', { name: remove.about?.name ?? '' })}
        verb={t('channel.delete')}
        change={deletion}
        input={(words) => ({ ...words, id: remove.about?.id ?? '', etag: remove.about?.etag ?? '' })}
        done={() => t('channel.deleted', { name: remove.about?.name ?? '' })}
      >
        {t('channel.deleteConsequence')}
      </FormDrawer>
      <CreatedSecret secret={secret} onClose={() => setSecret(null)} />
    </>
  );
};

type OnChannel = (channel: AlertChannel) => void;
interface Actions {
  onEdit: OnChannel;
  onTest: OnChannel;
  onDelete: OnChannel;
}

const useColumns = ({ onEdit, onTest, onDelete }: Actions): DataColumn<AlertChannel>[] => {
  const t = useTranslations('alerts');
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('column.channel'),
        width: 220,
        pinned: true,
        cell: ({ name }) => <HostileText max={100}>{name}</HostileText>,
        value: ({ name }) => name,
      },
      {
        id: 'kind',
        header: t('column.kind'),
        width: 120,
        cell: ({ kind }) => t(`kind.${kind}`),
        value: ({ kind }) => kind,
      },
      keyColumn({ id: 'target', header: t('column.target'), width: 260, of: ({ target }) => target }),
      countColumn({ id: 'rules', header: t('column.rules'), width: 90, of: ({ rules }) => rules }),
      actionsColumn({
        width: 64,
        cell: (channel) => (
          <MoreMenu label={t('actionsOf', { name: channel.name })}>
            <Menu.Item leftSection={<IconSend size={16} />} onClick={() => onTest(channel)}>
              {t('test.verb')}
            </Menu.Item>
            <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => onEdit(channel)}>
              {t('channel.edit')}
            </Menu.Item>
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onDelete(channel)}>
              {t('channel.delete')}
            </Menu.Item>
          </MoreMenu>
        ),
      }),
    ],
    [t, onEdit, onTest, onDelete],
  );
};
