'use client';

import { SimpleGrid, Stack } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { SessionOrder } from '@/lib/sessions/schema';
import { SessionTable } from './session-table';
import { UserAudit } from './user-audit';
import { UserHead, type UserViewProps } from './user-head';
import { UserIndex } from './user-index';
import { userQuery } from './user-query';
import { UserRelated } from './user-related';
import { UserOauth, UserVerifications } from './user-tokens';

const ORDER = { sort: 'lastActivity', order: 'desc' };
const SORTS = ['lastActivity', 'created', 'expiry'] as const;

const orderOf = ({ sort, order }: typeof ORDER): SessionOrder => ({
  sort: SORTS.find((each) => each === sort) ?? 'lastActivity',
  order: order === 'asc' ? 'asc' : 'desc',
});

/** One user: sessions, tokens, caches and audit entries. */
export const UserView = (props: UserViewProps) => {
  const { userId, complete, revocation } = props;
  const t = useTranslations('sessions.user');
  const connection = useConnection();
  const [url, setUrl] = useUrlState(ORDER);
  const order = orderOf(url);
  const query = useInfiniteQuery(userQuery(connection.id, userId, complete, order));
  const user = query.data;
  if (!user && query.isError) return <QueryProblem of={query} />;
  return (
    <Stack gap="md">
      {user && <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />}
      <UserHead
        {...props}
        user={user}
        scanning={query.isFetching && !query.isFetchingNextPage && (!user || complete !== user.complete)}
        onMore={() => void query.fetchNextPage()}
        loadingMore={query.isFetchingNextPage}
      />
      <SessionTable
        label={t('sessionsOf', { id: userId })}
        rows={user?.sessions ?? []}
        loading={query.isPending}
        placeholder={query.isPlaceholderData}
        sorting={{
          by: order.sort,
          order: order.order,
          onSort: (sort, direction) => setUrl({ sort, order: direction }),
        }}
        revocation={revocation}
        empty={{
          icon: IconUserSearch,
          title: t('none', { id: userId }),
          text: t(user?.complete ? 'noneComplete' : 'noneIndex'),
        }}
      />
      {user && (
        <>
          <UserIndex user={user} revocation={revocation} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            <UserOauth user={user} />
            <UserVerifications user={user} />
          </SimpleGrid>
          <UserAudit user={user} />
          <UserRelated user={user} />
        </>
      )}
    </Stack>
  );
};
