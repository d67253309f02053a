'use client';

import { SimpleGrid, Stack } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { SessionOrder } from '@/lib/sessions/schema';
import { PersonAudit } from './person-audit';
import { PersonHead, type PersonViewProps } from './person-head';
import { PersonIndex } from './person-index';
import { personQuery } from './person-query';
import { PersonRelated } from './person-related';
import { PersonOauth, PersonVerifications } from './person-tokens';
import { SessionTable } from './session-table';

const ORDER = { sort: 'lastActivity', order: 'desc' };
const SORTS = ['lastActivity', 'created', 'expiry'] as const;

const orderOf = ({ sort, order }: typeof ORDER): SessionOrder => ({
  sort: SORTS.find((each) => each === sort) ?? 'lastActivity',
  order: order === 'asc' ? 'asc' : 'desc',
});

/** Everything one person is let in by, what is cached about them, and what was done about them. */
export const PersonView = (props: PersonViewProps) => {
  const { userId, complete, revocation } = props;
  const t = useTranslations('person');
  const connection = useConnection();
  const [url, setUrl] = useUrlState(ORDER);
  const order = orderOf(url);
  const query = useInfiniteQuery(personQuery(connection.id, userId, complete, order));
  const person = query.data;
  if (!person && query.isError)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Stack gap="md">
      {person && <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />}
      <PersonHead
        {...props}
        person={person}
        looking={query.isFetching && !query.isFetchingNextPage && (!person || complete !== person.complete)}
        onMore={() => void query.fetchNextPage()}
        loadingMore={query.isFetchingNextPage}
      />
      <SessionTable
        label={t('sessionsOf', { id: userId })}
        rows={person?.sessions ?? []}
        loading={query.isPending}
        placeholder={query.isPlaceholderData}
        sorting={{
          by: order.sort,
          order: order.order,
          onSort: (sort, direction) => setUrl({ sort, order: direction }),
        }}
        revocation={revocation}
        empty={
          <EmptyState icon={<IconUserSearch size={20} />} title={t('none', { id: userId })}>
            {t(person?.complete ? 'noneComplete' : 'noneIndex')}
          </EmptyState>
        }
      />
      {person && (
        <>
          <PersonIndex person={person} revocation={revocation} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            <PersonOauth person={person} />
            <PersonVerifications person={person} />
          </SimpleGrid>
          <PersonAudit person={person} />
          <PersonRelated person={person} />
        </>
      )}
    </Stack>
  );
};
