'use client';

import { Alert, Button, Group } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import { CLIENT_TYPES, type ServerClient } from '@/lib/server/clients/schema';
import { clientFilterOf, type Fields, NO_FILTER, sortText } from './address';
import { useClientColumns } from './client-columns';
import { ClientFilters } from './client-filters';
import { ClientGroups } from './client-groups';
import { Refused } from './parts';
import { serverQueries } from './queries';
import classes from './server.module.css';

const ClientDrawer = onDemand(async () => (await import('./client-drawer')).ClientDrawer);
const KillDrawer = onDemand(async () => (await import('./kill-drawer')).KillDrawer);

interface ClientListProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** Each server numbers its clients. */
const idOf = ({ id, node }: ServerClient): string => `${id} ${node ?? ''}`;

/** Who is connected, and what each of them last ran. */
export const ClientList = ({ url, onChange }: ClientListProps) => {
  const t = useTranslations('server');
  const { id } = useConnection();
  const filter = useMemo(() => clientFilterOf(url), [url]);
  const query = useInfiniteQuery(serverQueries.clients(id, filter));
  const rows = useDistinctRows(query.data?.pages, idOf);
  const [first] = query.data?.pages ?? [];
  const details = useOpened<ServerClient>();
  const kill = useOpened<ServerClient>();
  const mayKill = useMay('keys:write');
  const columns = useClientColumns(
    mayKill ? kill.open : undefined,
    rows.some(({ node }) => node !== null),
  );
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const { sort, order, ...filters } = filter;
  const isFiltered = Object.keys(filters).length > 0;
  const current = rows.find((each) => details.about !== null && idOf(each) === idOf(details.about));
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Refused refused={first?.refused} />
      {first?.state === 'tooMany' && (
        <TooMany
          connected={first.connected}
          limit={first.limit}
          onType={(type) => onChange({ ...NO_FILTER, type })}
        />
      )}
      <ClientFilters
        url={url}
        page={first}
        onChange={onChange}
        onClear={isFiltered ? () => onChange({ ...NO_FILTER, sort: url.sort }) : undefined}
      />
      <DataTable
        label={t('tab.clients')}
        name="clients"
        columns={columns}
        rows={rows}
        rowId={idOf}
        {...pagesOf(query)}
        live={[filter]}
        onOpen={details.open}
        sorting={{
          by: sort ?? 'memory',
          order: order ?? 'desc',
          onSort: (by, direction) => onChange({ sort: sortText(by, direction) }),
        }}
        empty={
          first?.state === 'listed' && (
            <EmptyState icon={<IconPlugConnected size={20} />} title={t('clients.none')}>
              {t(isFiltered ? 'clients.noMatch' : 'clients.noneText')}
            </EmptyState>
          )
        }
      />
      {first?.state === 'listed' && <ClientGroups page={first} />}
      <ClientDrawer
        client={current ?? details.about}
        isConnected={current !== undefined}
        opened={details.opened}
        onClose={details.close}
        onKill={
          mayKill
            ? (client) => {
                details.close();
                kill.open(client);
              }
            : undefined
        }
      />
      <KillDrawer
        key={kill.key}
        client={kill.about}
        opened={kill.opened}
        onClose={kill.close}
        onClosed={kill.forget}
      />
    </>
  );
};

interface TooManyProps {
  connected: number | null;
  limit: number;
  onType: (type: string) => void;
}

/** The server answers nobody while it lists its clients: of very many only those of one type are read. */
const TooMany = ({ connected, limit, onType }: TooManyProps) => {
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
            className={classes.button ?? ''}
            onClick={() => onType(type)}
          >
            {t(`clients.type.${type}`)}
          </Button>
        ))}
      </Group>
    </Alert>
  );
};
