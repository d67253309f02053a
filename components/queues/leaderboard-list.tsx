'use client';

import { Text } from '@mantine/core';
import { IconTrophy } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import type { Leaderboard } from '@/lib/leaderboards/schema';
import { KeyCell, TtlText } from './key-cell';
import { ListedTable } from './listed-table';
import { leaderboardQueries } from './queries';

const TopCell = ({ top }: Pick<Leaderboard, 'top'>) => {
  const t = useTranslations('queues.leaderboards');
  if (!top) return <span>—</span>;
  return (
    <>
      <ShownBytes of={top.shown} max={80} isName />
      <Text size="xs" c="dimmed">
        {t('score', { score: top.scoreText })}
      </Text>
    </>
  );
};

const useColumns = (): DataColumn<Leaderboard>[] => {
  const t = useTranslations('queues.leaderboards.column');
  return useMemo(
    (): DataColumn<Leaderboard>[] => [
      {
        id: 'leaderboard',
        header: t('leaderboard'),
        width: 260,
        pinned: true,
        cell: (board) => <KeyCell row={board} problem={board.problem} />,
        value: ({ key }) => key,
      },
      countColumn({ id: 'members', header: t('members'), width: 110, of: ({ members }) => members }),
      {
        id: 'top',
        header: t('top'),
        width: 260,
        cell: ({ top }) => <TopCell top={top} />,
        value: ({ top }) => top?.member ?? null,
      },
      {
        id: 'ttl',
        header: t('ttl'),
        align: 'right',
        width: 110,
        cell: (row) => <TtlText row={row} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ],
    [t],
  );
};

const LIVE: readonly unknown[] = ['leaderboards'];

/** Sorted sets of members by score. */
export const LeaderboardList = ({ onOpen }: { onOpen: (keyId: string) => void }) => {
  const { id } = useConnection();
  return (
    <ListedTable
      list="leaderboards"
      icon={<IconTrophy size={20} />}
      query={useInfiniteQuery(leaderboardQueries.list(id))}
      columns={useColumns()}
      live={LIVE}
      onOpen={({ keyId }) => onOpen(keyId)}
    />
  );
};
