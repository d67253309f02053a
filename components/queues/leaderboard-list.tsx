import { IconTrophy } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import { countColumn } from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { onDemand } from '@/components/patterns/on-demand';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { type Leaderboard, leaderboardContracts } from '@/lib/leaderboards/schema';
import { Found } from './found';
import { KeyCell, LISTED, ttlColumn } from './key-cell';

const TopCell = ({ top }: Pick<Leaderboard, 'top'>) => {
  const tQueues = useTranslations('queues');
  if (!top) return <span>—</span>;
  return (
    <>
      <ShownBytes of={top.shown} max={80} isName />
      <Dimmed size="xs">{tQueues('peek.score', { score: top.scoreText })}</Dimmed>
    </>
  );
};

/** Sorted sets of members by score. */
export const LEADERBOARDS = declareList({
  contract: leaderboardContracts.list,
  texts: 'queues.leaderboards',
  name: 'leaderboards',
  icon: IconTrophy,
  ...LISTED,
  status: (props) => <Found texts="queues.leaderboards" {...props} />,
  columns: [
    {
      id: 'leaderboard',
      width: 260,
      pinned: true,
      cell: (board) => <KeyCell row={board} problem={board.problem} />,
      value: ({ key }) => key,
    },
    countColumn<Leaderboard>({ id: 'members', width: 110 }),
    {
      id: 'top',
      width: 260,
      cell: ({ top }) => <TopCell top={top} />,
      value: ({ top }) => top?.member ?? null,
    },
    ttlColumn,
  ],
  opens: {
    name: 'board',
    fields: { order: 'desc', member: '' },
    drawer: onDemand(async () => (await import('./leaderboard-drawer')).LeaderboardDrawer),
  },
});
