import { IconArrowBackUp, IconCheck, IconChecks, IconX } from '@tabler/icons-react';
import { declareList } from '@/components/contract-list/declare-list';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { onDemand } from '@/components/patterns/on-demand';
import { type ApprovalRow, type ApprovalState, approvalContracts } from '@/lib/approvals/schema';
import { ChangeCell, CountCell, NoAge, StateBadge } from './list-parts';

/** An expired one disappears by itself. */
const isOpen = (state: ApprovalState): boolean => state !== 'executing' && state !== 'expired';

/** Pending ones first, then the oldest. */
export const APPROVALS = declareList({
  contract: approvalContracts.list,
  texts: 'approvals',
  name: 'approvals',
  icon: IconChecks,
  rowId: ({ id }) => id,
  rowName: ({ target }) => target,
  everyMs: 10_000,
  search: 'plain',
  states: {
    name: 'state',
    tones: { pending: 'quiet', suspended: 'warn', executing: 'quiet', inDoubt: 'bad', expired: 'quiet' },
    total: ({ total }) => total,
    count: ({ states }, state) => states[state],
    age: NoAge,
  },
  columns: [
    {
      id: 'change',
      width: 320,
      pinned: true,
      cell: (row) => <ChangeCell row={row} />,
      value: ({ operation, target }) => `${operation} ${target}`,
    },
    { id: 'state', width: 130, cell: (row) => <StateBadge row={row} />, value: ({ state }) => state },
    {
      id: 'count',
      width: 90,
      align: 'right',
      cell: (row) => <CountCell row={row} />,
      value: ({ was }) => was.count,
    },
    textColumn<ApprovalRow>({ id: 'by', width: 170 }),
    textColumn<ApprovalRow>({ id: 'reason', width: 200, max: 90 }),
    timeColumn<ApprovalRow>({ id: 'requestedAt', width: 110 }),
    timeColumn<ApprovalRow>({ id: 'expiresAt', width: 110 }),
  ],
  actions: {
    approve: {
      permission: 'view',
      icon: IconCheck,
      isOffered: ({ mayDecide, state }) => mayDecide && state === 'pending',
      drawer: onDemand(async () => (await import('./decide-drawer')).ApproveDrawer),
    },
    decline: {
      permission: 'view',
      icon: IconX,
      isOffered: ({ mayDecide, state }) => mayDecide && isOpen(state),
      drawer: onDemand(async () => (await import('./decide-drawer')).DeclineDrawer),
    },
    withdraw: {
      permission: 'view',
      icon: IconArrowBackUp,
      isOffered: ({ own, state }) => own && isOpen(state),
      drawer: onDemand(async () => (await import('./decide-drawer')).WithdrawDrawer),
    },
  },
});
