'use client';

import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconTrophy } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { AddressDrawerProps } from '@/components/contract-list/declare-list';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { KeyLink } from '@/components/patterns/key-link';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { QueryProblem } from '@/components/patterns/query-problem';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useLast } from '@/components/patterns/use-last';
import type { RankedMember } from '@/lib/leaderboards/schema';
import { leaderboardQueries, type Order } from './queries';

/** The members of a leaderboard by rank, and the rank of one of them. */
export const LeaderboardDrawer = ({ id: keyId, url, onChange }: AddressDrawerProps) => {
  const t = useTranslations('queues');
  // The drawer keeps its content while it closes.
  const shownId = useLast(keyId || null);
  return (
    <Drawer
      opened={keyId !== ''}
      onClose={() => onChange({ board: '', member: '' })}
      inAddress
      width="wide"
      title={t('leaderboard.title')}
    >
      {shownId !== null && (
        <Ranks
          keyId={shownId}
          order={url.order === 'asc' ? 'asc' : 'desc'}
          member={url.member ?? ''}
          onChange={onChange}
        />
      )}
    </Drawer>
  );
};

const useColumns = (): DataColumn<RankedMember>[] => {
  const t = useTranslations('queues.leaderboard.column');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<RankedMember>[] => [
      countColumn({ id: 'rank', header: t('rank'), width: 80 }),
      {
        id: 'member',
        header: tWord('member'),
        width: 300,
        pinned: true,
        cell: ({ shown }) => <ShownBytes of={shown} max={120} isName />,
      },
      {
        id: 'score',
        header: tWord('score'),
        align: 'right',
        width: 140,
        cell: ({ scoreText }) => scoreText,
        value: ({ score, scoreText }) => score ?? scoreText,
      },
    ],
    [t, tWord],
  );
};

// A member may be in two pages while scores change.
const idOf = ({ rank, memberId }: RankedMember): string => `${rank} ${memberId}`;

interface RanksProps {
  keyId: string;
  order: Order;
  member: string;
  onChange: (change: { order?: Order; member?: string }) => void;
}

const Ranks = ({ keyId, order, member, onChange }: RanksProps) => {
  const t = useTranslations('queues.leaderboard');
  const { id } = useConnection();
  const columns = useColumns();
  const query = useInfiniteQuery(leaderboardQueries.ranks(id, keyId, order));
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const first = query.data?.pages[0];
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  return (
    <Stack gap="sm">
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      {first && (
        <Text size="sm" component="div">
          <KeyLink keyId={first.keyId}>{first.key}</KeyLink> ·{' '}
          <span>{t('total', { count: first.total })}</span>
        </Text>
      )}
      <FilterBar
        search={
          <SearchField
            value={member}
            onChange={(next) => onChange({ member: next })}
            label={t('search')}
            noSecrets
          />
        }
        active={order === 'asc' ? 1 : 0}
        onClear={member ? () => onChange({ member: '' }) : undefined}
      >
        <SegmentedControl
          size="sm"
          aria-label={t('order.choose')}
          value={order}
          onChange={(next) => onChange({ order: next as Order })}
          data={(['desc', 'asc'] as const).map((value) => ({ value, label: t(`order.${value}`) }))}
        />
      </FilterBar>
      {member !== '' && <MemberRank {...{ keyId, order, member }} />}
      <DataTable
        {...pagesOf(query)}
        label={t('label')}
        name="leaderboard"
        columns={columns}
        rows={rows}
        rowId={idOf}
        live={[keyId, order]}
        empty={{ icon: IconTrophy, title: t('empty.title'), text: t('empty.text') }}
      />
      <Dimmed>{t('ties')}</Dimmed>
    </Stack>
  );
};

/** Where the searched member is. */
const MemberRank = ({ keyId, order, member }: Pick<RanksProps, 'keyId' | 'order' | 'member'>) => {
  const t = useTranslations('queues.leaderboard');
  const { id } = useConnection();
  const { data, error } = useQuery(leaderboardQueries.rankOf(id, keyId, order, member));
  if (error && !data) return <ProblemAlert error={error} />;
  if (!data) return null;
  const { member: place, total } = data;
  return (
    <Alert color={place ? 'blue' : 'gray'} role="status">
      {place
        ? t('place', {
            rank: place.rank,
            total,
            score: place.scoreText,
            ties: place.ties,
            shared: place.sharedRank,
          })
        : t('notFound')}
    </Alert>
  );
};
