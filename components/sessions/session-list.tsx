'use client';

import { Button, Group, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { Session } from '@/lib/sessions/schema';
import { type SessionFilter, sessionQueries } from './queries';
import { SessionTable } from './session-table';
import type { Revocation } from './use-revocation';

/** Pages fetched before somebody is asked to go on: a filter that finds little must not scan without end. */
const PAGES_A_GO = 40;

interface SessionListProps {
  filter: SessionFilter;
  revocation: Revocation;
}

const useSessionPages = (connection: string, filter: SessionFilter) => {
  const query = useInfiniteQuery(sessionQueries.list(connection, filter));
  const [allowed, setAllowed] = useState(PAGES_A_GO);
  const pages = query.data?.pages;
  // SCAN may give a key twice: each session once.
  const rows = useMemo(() => {
    const distinct = new Map<string, Session>();
    for (const page of pages ?? [])
      for (const session of page.items) distinct.set(session.fingerprint, session);
    return [...distinct.values()];
  }, [pages]);
  const count = pages?.length ?? 0;
  const paused = query.hasNextPage && (count >= allowed || query.isError);
  return {
    query,
    rows,
    paused,
    examined: pages?.reduce((sum, page) => sum + page.examined, 0) ?? 0,
    keys: pages?.at(-1)?.keys ?? null,
    onMore: () => {
      if (!paused && !query.isFetchingNextPage) void query.fetchNextPage();
    },
    goOn: () => {
      setAllowed(count + PAGES_A_GO);
      void query.fetchNextPage();
    },
  };
};

/** All sessions as the scan finds them. */
export const SessionList = ({ filter, revocation }: SessionListProps) => {
  const t = useTranslations('sessions');
  const connection = useConnection();
  const found = useSessionPages(connection.id, filter);
  const { query, rows } = found;
  const filtered = filter.name !== '' || filter.device !== '' || filter.state !== '';
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <SessionTable
        label={t('label')}
        rows={rows}
        loading={query.isPending}
        hasMore={query.hasNextPage}
        fetchingMore={query.isFetchingNextPage}
        onMore={found.onMore}
        revocation={revocation}
        empty={
          <EmptyState icon={<IconUsers size={20} />} title={t('empty.title')}>
            {filtered ? t('empty.filtered') : t('empty.text')}
          </EmptyState>
        }
      />
      {query.data && (
        <Group mt="xs" gap="sm" mih={30}>
          <Text size="xs" c="dimmed">
            {t(query.hasNextPage ? 'examined' : 'examinedAll', {
              count: found.examined,
              keys: found.keys ?? 0,
            })}
          </Text>
          {found.paused && (
            <Button size="compact-sm" variant="default" onClick={found.goOn}>
              {t('loadMore')}
            </Button>
          )}
        </Group>
      )}
    </>
  );
};
