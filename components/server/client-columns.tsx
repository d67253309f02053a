'use client';

import { Badge } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import {
  actionsColumn,
  bytesColumn,
  countColumn,
  keyColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { HostileText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import type { ServerClient } from '@/lib/server/clients/schema';
import { OwnBadge } from './parts';

/** Keyward’s own connections, and those of replication, stay. A name alone makes none its own. */
export const mayBeKilled = ({ own, kind }: ServerClient): boolean =>
  !own && kind !== 'replica' && kind !== 'primary';

export const ClientName = ({ client }: { client: ServerClient }) => {
  const t = useTranslations('server');
  const { name } = client;
  return (
    <>
      {name === null ? <span>{t('clients.unnamed')}</span> : <HostileText max={60}>{name}</HostileText>}
      <OwnBadge of={client} />
    </>
  );
};

/**
 * Column ids are the server's orders. `onKill` absent: without the permission to change. `hasNodes`: they are of several
 * primaries.
 */
export const useClientColumns = (onKill: ((client: ServerClient) => void) | undefined, hasNodes: boolean) => {
  const t = useTranslations('server');
  const format = useFormat();
  return useMemo((): DataColumn<ServerClient>[] => {
    const seconds = (id: 'age' | 'idle', of: (client: ServerClient) => number | null) => ({
      id,
      header: t(`column.${id}`),
      width: 90,
      align: 'right' as const,
      sortable: true,
      value: of,
      cell: (client: ServerClient) => format.duration(of(client)),
    });
    const columns: DataColumn<ServerClient>[] = [
      {
        id: 'name',
        header: t('column.name'),
        width: 180,
        pinned: true,
        cell: (client) => <ClientName client={client} />,
        value: ({ name }) => name,
      },
      keyColumn({ id: 'address', header: t('column.address'), width: 170, of: ({ address }) => address }),
      ...(hasNodes
        ? [
            keyColumn<ServerClient>({
              id: 'node',
              header: t('column.node'),
              width: 150,
              of: ({ node }) => node ?? '',
            }),
          ]
        : []),
      textColumn({ id: 'user', header: t('column.user'), width: 100, of: ({ user }) => user }),
      textColumn({
        id: 'command',
        header: t('column.lastCommand'),
        width: 120,
        of: ({ command }) => command,
      }),
      {
        id: 'kind',
        header: t('column.kind'),
        width: 110,
        cell: ({ kind }) => (kind === 'normal' ? t('kind.normal') : <Badge>{t(`kind.${kind}`)}</Badge>),
        value: ({ kind }) => kind,
      },
      seconds('age', ({ ageSeconds }) => ageSeconds),
      seconds('idle', ({ idleSeconds }) => idleSeconds),
      bytesColumn({
        id: 'memory',
        header: t('column.memory'),
        width: 90,
        sortable: true,
        of: ({ memoryBytes }) => memoryBytes,
      }),
      bytesColumn({
        id: 'output',
        header: t('column.output'),
        width: 90,
        sortable: true,
        of: ({ outputBytes }) => outputBytes,
      }),
      countColumn({ id: 'db', header: t('column.db'), width: 60, hiddenAtFirst: true, of: ({ db }) => db }),
      textColumn({
        id: 'library',
        header: t('column.library'),
        hiddenAtFirst: true,
        of: ({ library }) => library,
      }),
    ];
    if (onKill)
      columns.push(
        actionsColumn({
          width: 64,
          cell: (client) =>
            mayBeKilled(client) && (
              <RowButton
                hint={t('kill.verb')}
                label={t('kill.title', { address: client.address })}
                icon={<IconPlugConnectedX size={16} />}
                onClick={() => onKill(client)}
              />
            ),
        }),
      );
    return columns;
  }, [t, format, onKill, hasNodes]);
};
