import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { rememberLongKeys } from '@/lib/command/key-ids';
import type { Input, Result } from '@/lib/contract';
import { pageOfRows } from '@/lib/list-page';
import { isoOrNull } from '@/lib/time';
import { LOCK_PROBLEMS, type lockContracts } from './schema';
import { currentLocks } from './shared-locks';
import { type JudgedLock, judge, showLock } from './shown-lock';

type List = Input<typeof lockContracts.list>;

const MAX_OPERATIONS = 200;

/** Searches displayed text only, so that it cannot find masked text. */
const filterOf = ({ q, operation, problem }: List) => {
  const words = q?.toLowerCase();
  return ({ lock: { subject }, problems }: JudgedLock): boolean =>
    (words === undefined || subject.key.toLowerCase().includes(words)) &&
    (operation === undefined || subject.operation === operation) &&
    (problem === undefined || (problem === 'any' ? problems.length > 0 : problems.includes(problem)));
};

const countsOf = (locks: readonly JudgedLock[]) =>
  Object.fromEntries(
    LOCK_PROBLEMS.map((id) => [id, locks.filter(({ problems }) => problems.includes(id)).length]),
  ) as Result<typeof lockContracts.list>['problems'];

const operationsOf = (locks: readonly JudgedLock[]): string[] => {
  const names = locks.map(({ lock }) => lock.subject.operation).filter((name) => name !== null);
  return [...new Set(names)].sort().slice(0, MAX_OPERATIONS);
};

/** locks.list: locks with a problem first, then the oldest. */
export const listLocks: ReadOf<typeof lockContracts.list> = async (ctx, input) => {
  const { found, foundAt, readAt, isComplete } = await currentLocks(ctx);
  const now = ctx.now();
  const locks = found.map((lock) => judge(lock, now)).filter((lock) => lock !== null);
  const { items, nextCursor } = pageOfRows(
    locks.filter(filterOf(input)),
    input,
    ['number', 'number', 'string'],
    ({ lock, problems, held }) => [
      problems.length > 0 ? 0 : 1,
      Math.round(held?.since ?? Number.MAX_SAFE_INTEGER),
      lock.keyId,
    ],
  );
  await rememberLongKeys(
    ctx,
    items.map(({ lock }) => lock.key),
  );
  const known = (figure: number): number | null => (readAt === null ? null : figure);
  return {
    items: items.map((lock) => showLock(ctx, lock, now)),
    nextCursor,
    total: known(locks.length),
    withProblems: known(locks.filter(({ problems }) => problems.length > 0).length),
    problems: countsOf(locks),
    operations: operationsOf(locks),
    foundAt: isoOrNull(foundAt),
    readAt: isoOrNull(readAt),
    isComplete,
  };
};
