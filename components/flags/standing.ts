import type { Result } from '@/lib/contract';
import { type Flag, flagContracts } from '@/lib/flags/schema';

export type Change = Result<typeof flagContracts.history>['items'][number];

const DECLINED = flagContracts.decline.id;
const DELETED = flagContracts.delete.id;

/** Whether an entry changed the flag: declining a request does not. */
export const changesFlag = ({ action }: Change): boolean => action !== DECLINED;

/**
 * The change that made the flag what it is, if it can be taken back now: the newest that is neither taken back nor
 * the taking back of another, while what it left still stands.
 */
export const takeableOf = (
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
  const stands =
    newest.action === DELETED ? flag === undefined : flag !== undefined && newest.to === flag.raw;
  return stands ? newest : null;
};
