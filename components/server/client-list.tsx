'use client';

import { Alert, Badge, Button, Group } from '@mantine/core';
import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import {
  bytesColumn,
  countColumn,
  durationColumn,
  keyColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';
import { CLIENT_KINDS, CLIENT_TYPES, clientContracts, type ServerClient } from '@/lib/server/clients/schema';
import { NO_FILTER } from './address';
import { ClientGroups } from './client-groups';
import { ClientName, mayBeKilled, Refused } from './parts';

type Page = Result<typeof clientContracts.list>;

const Kind = ({ client: { kind } }: { client: ServerClient }) => {
  const t = useTranslations('server');
  return kind === 'normal' ? t('kind.normal') : <Badge color="gray">{t(`kind.${kind}`)}</Badge>;
};

const Status = ({ of: page }: { of: Page | undefined }) => {
  const t = useTranslations('server');
  const format = useFormat();
  if (!page) return NO_STATUS;
  if (page.state !== 'listed') return UNKNOWN;
  return t('clients.status', { total: format.count(page.total), listed: format.count(page.listed) });
};

const Intro = (part: ListPartProps<Page>) => (
  <>
    <Refused refused={part.page?.refused} />
    {part.page?.state === 'tooMany' && <TooMany page={part.page} onChange={part.onChange} />}
  </>
);

interface TooManyProps {
  page: Page;
  onChange: ListPartProps['onChange'];
}

/** The server answers nobody while it lists its clients: of very many only those of one type are read. */
const TooMany = ({ page: { connected, limit }, onChange }: TooManyProps) => {
  const t = useTranslations('server');
  const format = useFormat();
  return (
    <Alert color="orange" title={t('clients.tooMany', { count: format.count(connected) })} mb="sm">
      {t('clients.tooManyText', { limit: format.count(limit) })}
      <Group gap="xs" mt="xs">
        {CLIENT_TYPES.filter((type) => type !== 'normal').map((type) => (
          <Button
            key={type}
            variant="default"
            size="xs"
            className={touch.thumb ?? ''}
            onClick={() => onChange({ ...NO_FILTER, type })}
          >
            {t(`clients.type.${type}`)}
          </Button>
        ))}
      </Group>
    </Alert>
  );
};

/** Offered once one is chosen: where the server lists only those of one type. */
const OfType = ({ url, onChange }: ListPartProps<Page>) => {
  const t = useTranslations('server');
  if (!url.type) return null;
  return (
    <FilterSelect
      label={t('clients.read')}
      any={t('clients.readAll')}
      data={CLIENT_TYPES.map((value) => ({ value, label: t(`clients.type.${value}`) }))}
      value={url.type}
      onChange={(type) => onChange({ type })}
    />
  );
};

const typeOf = (type: string | undefined) => CLIENT_TYPES.find((known) => known === type);

/** Who is connected, and what each of them last ran. Column ids are the server's orders. */
export const CLIENTS = declareList({
  contract: clientContracts.list,
  texts: 'server.clients',
  name: 'clients',
  icon: IconPlugConnected,
  // Each server numbers its clients.
  rowId: ({ id, node }) => `${id} ${node ?? ''}`,
  rowName: ({ address }) => address,
  everyMs: 5000,
  intro: Intro,
  search: 'noSecrets',
  selects: {
    user: ({ byUser }) => byUser.flatMap(({ value }) => value ?? []),
    kind: CLIENT_KINDS,
    own: ['without', 'only'],
  },
  spans: { idle: [60, 600, 3600, 86_400] },
  facets: { names: ['type'], of: OfType, inBar: true },
  inputOf: ({ own, idle, type, ...filter }) => {
    const ofType = typeOf(type);
    return {
      ...filter,
      ...(own && { own: own === 'only' }),
      ...(idle && { minIdleSeconds: Number(idle) }),
      ...(ofType && { type: ofType }),
    };
  },
  status: Status,
  isUnknown: ({ state }) => state !== 'listed',
  sort: { by: 'memory', order: 'desc' },
  without: ({ items }) => (items.some(({ node }) => node !== null) ? [] : ['node']),
  columns: [
    {
      id: 'name',
      width: 180,
      pinned: true,
      cell: (client) => <ClientName client={client} />,
    },
    keyColumn<ServerClient>({ id: 'address', width: 170 }),
    keyColumn<ServerClient>({ id: 'node', width: 150 }),
    textColumn<ServerClient>({ id: 'user', width: 100 }),
    textColumn<ServerClient>({ id: 'command', width: 120 }),
    { id: 'kind', width: 110, cell: (client) => <Kind client={client} />, value: ({ kind }) => kind },
    durationColumn<ServerClient>({
      id: 'age',
      width: 90,
      sortable: true,
      of: ({ ageSeconds }) => ageSeconds,
    }),
    durationColumn<ServerClient>({
      id: 'idle',
      width: 90,
      sortable: true,
      of: ({ idleSeconds }) => idleSeconds,
    }),
    bytesColumn<ServerClient>({
      id: 'memory',
      width: 90,
      sortable: true,
      of: ({ memoryBytes }) => memoryBytes,
    }),
    bytesColumn<ServerClient>({
      id: 'output',
      width: 90,
      sortable: true,
      of: ({ outputBytes }) => outputBytes,
    }),
    countColumn<ServerClient>({ id: 'db', width: 60, hiddenAtFirst: true }),
    textColumn<ServerClient>({ id: 'library', hiddenAtFirst: true }),
  ],
  actions: {
    kill: {
      permission: 'keys:write',
      icon: IconPlugConnectedX,
      isOffered: mayBeKilled,
      drawer: onDemand(async () => (await import('./kill-drawer')).KillDrawer),
    },
  },
  details: onDemand(async () => (await import('./client-drawer')).ClientDrawer),
  footer: ({ page }) => page?.state === 'listed' && <ClientGroups page={page} />,
});
