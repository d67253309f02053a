import { IconProgress } from '@tabler/icons-react';
import { declareList } from '@/components/contract-list/declare-list';
import { countColumn, durationColumn, keyColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import { onDemand } from '@/components/patterns/on-demand';
import { RateBar } from '@/components/patterns/rate-bar';
import { type ProcessState, processContracts } from '@/lib/processes/schema';
import { LeftFigure, ReadLine, StageCell } from './list-parts';

/** Processes by their stored state: stuck ones first, then the oldest. */
export const PROCESSES = declareList({
  contract: processContracts.list,
  texts: 'locks.process',
  name: 'processes',
  icon: IconProgress,
  rowId: ({ keyId }) => keyId,
  rowName: ({ key }) => key,
  everyMs: 3000,
  search: 'plain',
  selects: { process: ({ processes }) => processes },
  states: {
    name: 'stage',
    tones: {
      stuck: 'bad',
      running: 'good',
      waiting: 'quiet',
      failed: 'bad',
      finished: 'quiet',
      unknown: 'quiet',
    },
    total: ({ total }) => total,
    count: ({ stuck, stages, readAt }, stage) => {
      if (stage === 'stuck') return stuck;
      return readAt === null ? null : stages[stage];
    },
    age: ReadLine,
  },
  isReading: ({ readAt }) => readAt === null,
  columns: [
    keyLinkColumn({ width: 220 }),
    {
      id: 'stage',
      width: 190,
      cell: (state) => <StageCell state={state} />,
      value: ({ stage, stuckReasons }) => [stage, ...stuckReasons].join(' '),
    },
    {
      id: 'progress',
      width: 150,
      cell: ({ progress }) => <RateBar value={progress} level="plain" short />,
    },
    durationColumn<ProcessState>({ id: 'age', width: 90, of: ({ ageSeconds }) => ageSeconds }),
    durationColumn<ProcessState>({
      id: 'updated',
      width: 90,
      of: ({ updatedSecondsAgo }) => updatedSecondsAgo,
    }),
    {
      id: 'ttl',
      width: 110,
      align: 'right',
      cell: ({ ttlSeconds }) => <LeftFigure seconds={ttlSeconds} />,
      value: ({ ttlSeconds }) => ttlSeconds,
    },
    keyColumn<ProcessState>({ id: 'process', hiddenAtFirst: true }),
    keyColumn<ProcessState>({ id: 'id', hiddenAtFirst: true }),
    countColumn<ProcessState>({
      id: 'fields',
      width: 70,
      hiddenAtFirst: true,
      of: ({ fieldsTotal }) => fieldsTotal,
    }),
  ],
  details: onDemand(async () => (await import('./process-drawer')).ProcessDrawer),
});
