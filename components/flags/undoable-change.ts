import type { Result } from '@/lib/contract';
import { type Flag, flagContracts } from '@/lib/flags/schema';

export type Change = Result<typeof flagContracts.history>['items'][number];

const DECLINED = flagContracts.decline.id;
const DELETED = flagContracts.delete.id;

/** Whether an entry changed the flag. Declined requests are in the history but change nothing. */
export const changesFlag = ({ action }: Change): boolean => action !== DECLINED;

/** The newest change that is not undone and not itself an undo, if it can be undone and its value is still set. */
export const undoableChange = (
  changes: readonly Change[],
  flag: Flag | undefined,
  now: number,
): Change | null => {
  const newest = changes.find(
    (change) =>
      changesFlag(change) && change.undoneBy === null && !changes.some((c) => c.undoneBy === change.auditId),
  );
  if (!newest?.undoUntil || newest.outcome !== 'succeeded' || Date.parse(newest.undoUntil) <= now)
    return null;
  const isCurrent =
    newest.action === DELETED ? flag === undefined : flag !== undefined && newest.to === flag.raw;
  return isCurrent ? newest : null;
};
