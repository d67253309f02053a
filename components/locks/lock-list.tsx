import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { declareList } from '@/components/contract-list/declare-list';
import { keyColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import { onDemand } from '@/components/patterns/on-demand';
import { type Lock, lockContracts } from '@/lib/locks/schema';
import { AgeFigure, LeftFigure, LockProblems, OwnerText, ReadLine } from './list-parts';

/** Those with a problem first, then the oldest. */
export const LOCKS = declareList({
  contract: lockContracts.list,
  texts: 'locks.lock',
  name: 'locks',
  icon: IconLock,
  rowId: ({ keyId }) => keyId,
  rowName: ({ key }) => key,
  // Locks live for seconds.
  everyMs: 2000,
  search: 'plain',
  selects: { operation: ({ operations }) => operations },
  states: {
    name: 'problem',
    // The problems that say the most about an application.
    tones: { any: 'bad', noTtl: 'bad', longerThanBand: 'warn', noOwner: 'warn', wrongType: 'warn' },
    total: ({ total }) => total,
    count: ({ withProblems, problems, readAt }, problem) => {
      if (problem === 'any') return withProblems;
      return readAt === null ? null : problems[problem];
    },
    age: ReadLine,
  },
  isReading: ({ readAt }) => readAt === null,
  columns: [
    keyLinkColumn({ width: 220 }),
    {
      id: 'problems',
      width: 170,
      cell: (lock) => <LockProblems lock={lock} />,
      value: ({ problems }) => problems.join(' '),
    },
    keyColumn<Lock>({ id: 'operation', width: 120, minor: true, max: 40 }),
    keyColumn<Lock>({ id: 'entity', width: 110, max: 40, of: ({ entityId }) => entityId }),
    { id: 'owner', width: 170, cell: (lock) => <OwnerText lock={lock} />, value: ({ owner }) => owner },
    {
      id: 'age',
      width: 115,
      align: 'right',
      cell: (lock) => <AgeFigure lock={lock} />,
      value: ({ ageSeconds }) => ageSeconds,
    },
    {
      id: 'ttl',
      width: 110,
      align: 'right',
      cell: ({ ttlSeconds }) => <LeftFigure seconds={ttlSeconds} />,
      value: ({ ttlSeconds }) => ttlSeconds,
    },
    keyColumn<Lock>({ id: 'family', hiddenAtFirst: true }),
  ],
  actions: {
    release: {
      permission: 'keys:write',
      icon: IconLockOpen,
      isOffered: ({ etag }) => etag !== null,
      drawer: onDemand(async () => (await import('./release-drawer')).ReleaseDrawer),
    },
  },
});
