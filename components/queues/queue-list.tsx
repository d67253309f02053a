import { IconStack2 } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { Count } from '@/components/patterns/figures';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { type Queue, queueContracts } from '@/lib/queues/schema';
import { Found } from './found';
import { KeyCell, LISTED, ttlColumn } from './key-cell';
import { FlowRate, Preview, previewText, TypeText } from './queue-figures';

const DueCell = ({ queue: { due, nextDueAt } }: { queue: Queue }) => {
  const t = useTranslations('queues.queues');
  return (
    <>
      <Count value={due} />
      {nextDueAt !== null && (
        <Dimmed size="xs">{t.rich('next', { time: () => <RelativeTime at={nextDueAt} /> })}</Dimmed>
      )}
    </>
  );
};

const flowColumn = (way: 'in' | 'out') => ({
  id: way,
  align: 'right' as const,
  width: 90,
  cell: (queue: Queue) => (
    <FlowRate value={queue[`${way}PerSecond`]} ratesAreAtLeast={queue.ratesAreAtLeast} />
  ),
  value: (queue: Queue) => queue[`${way}PerSecond`],
});

/** Queues, delayed tasks and streams. */
export const QUEUES = declareList({
  contract: queueContracts.list,
  texts: 'queues.queues',
  name: 'queues',
  icon: IconStack2,
  ...LISTED,
  search: 'noSecrets',
  status: (props) => <Found texts="queues.queues" {...props} />,
  columns: [
    {
      id: 'queue',
      width: 240,
      pinned: true,
      cell: (queue) => <KeyCell row={queue} problem={queue.problem} />,
      value: ({ key }) => key,
    },
    { id: 'type', width: 100, cell: ({ type }) => <TypeText of={type} />, value: ({ type }) => type },
    countColumn<Queue>({ id: 'length', width: 100 }),
    timeColumn<Queue>({ id: 'oldest', width: 110, of: ({ oldest }) => oldest?.at ?? null }),
    flowColumn('in'),
    flowColumn('out'),
    {
      id: 'due',
      align: 'right',
      width: 120,
      cell: (queue) => <DueCell queue={queue} />,
    },
    {
      id: 'preview',
      width: 280,
      cell: ({ oldest }) => (oldest ? <Preview entry={oldest.preview} /> : '—'),
      value: ({ oldest }) => (oldest ? previewText(oldest.preview) : null),
    },
    { ...ttlColumn, width: 100, hiddenAtFirst: true },
  ],
  opens: {
    name: 'queue',
    fields: { range: '1h' },
    drawer: onDemand(async () => (await import('./queue-drawer')).QueueDrawer),
  },
});
