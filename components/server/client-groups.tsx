'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Columns } from '@/components/patterns/columns';
import { Panel } from '@/components/patterns/panel';
import type { Result } from '@/lib/contract';
import { CLIENT_KINDS, type ClientGroup, type clientContracts } from '@/lib/server/clients/schema';

const GROUPS = ['byName', 'byUser', 'byKind'] as const;
const HEADERS = { byName: 'name', byUser: 'user', byKind: 'kind' } as const;
type GroupName = (typeof GROUPS)[number];

const rowIdOf = ({ value }: ClientGroup): string => value ?? '';

/** How many clients there are of each name, user and kind. */
export const ClientGroups = ({ page }: { page: Result<typeof clientContracts.list> }) => (
  <Columns keepsWidth least={300} mt={12}>
    {GROUPS.map((name) => (
      <Group key={name} name={name} rows={page[name]} />
    ))}
  </Columns>
);

const Group = ({ name, rows }: { name: GroupName; rows: ClientGroup[] }) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<ClientGroup>[] => [
      textColumn({
        id: 'value',
        header: tWord(HEADERS[name]),
        width: 160,
        pinned: true,
        of: ({ value }) => {
          const kind = name === 'byKind' && CLIENT_KINDS.find((each) => each === value);
          return kind ? t(`kind.${kind}`) : (value ?? t('clients.unnamed'));
        },
      }),
      countColumn({ id: 'clients', header: t('tab.clients'), width: 90 }),
      bytesColumn({
        id: 'memory',
        header: tWord('memory'),
        width: 90,
        of: ({ memoryBytes }) => memoryBytes,
      }),
    ],
    [t, name, tWord],
  );
  return (
    <Panel title={t(`clients.${name}`)}>
      <ShortTable
        label={t(`clients.${name}`)}
        name={`clients-${name}`}
        columns={columns}
        rows={rows}
        rowId={rowIdOf}
      />
    </Panel>
  );
};
