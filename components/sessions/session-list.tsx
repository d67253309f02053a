'use client';

import { Button, Group, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useScanPages } from '@/components/patterns/use-scan-pages';
import type { Session } from '@/lib/sessions/schema';
import { sessionQueries } from './queries';
import { SessionTable } from './session-table';
import type { Revocation } from './use-revocation';

const fingerprintOf = ({ fingerprint }: Session): string => fingerprint;

/** All sessions as the scan finds them. */
export const SessionList = ({ revocation }: { revocation: Revocation }) => {
  const t = useTranslations('sessions');
  const connection = useConnection();
  const query = useInfiniteQuery(sessionQueries.list(connection.id));
  const found = useScanPages(query, fingerprintOf);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <SessionTable
        label={t('label')}
        rows={found.rows}
        loading={query.isPending}
        hasMore={query.hasNextPage}
        fetchingMore={query.isFetchingNextPage}
        onMore={found.onMore}
        revocation={revocation}
        empty={
          <EmptyState icon={<IconUsers size={20} />} title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      {query.data && (
        <Group mt="xs" gap="sm" mih={30}>
          <Text size="xs" c="dimmed">
            {t(query.hasNextPage ? 'examined' : 'examinedAll', { count: found.examined, keys: found.keys })}
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
