import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { countKinds, namesOf, roleList } from '@/lib/role-keys/role-list';
import { LOCK_PROBLEMS, type lockContracts } from './schema';
import { currentLocks } from './shared-locks';
import { judge, showLock } from './shown-lock';

/** locks.list: locks with a problem first, then the oldest. */
export const listLocks: ReadOf<typeof lockContracts.list> = async (ctx, { operation, problem, ...page }) => {
  const { found, ...pass } = await currentLocks(ctx);
  const now = ctx.now();
  const locks = found.map((lock) => judge(lock, now)).filter((lock) => lock !== null);
  const list = await roleList(
    ctx,
    pass,
    locks,
    page,
    ({ row, kinds, isWrong }) =>
      (operation === undefined || row.shown.operation === operation) &&
      (problem === undefined || (problem === 'any' ? isWrong : kinds.includes(problem))),
  );
  return {
    items: list.items.map((lock) => showLock(ctx, lock, now)),
    nextCursor: list.nextCursor,
    total: list.total,
    withProblems: list.wrong,
    problems: countKinds(LOCK_PROBLEMS, locks),
    operations: namesOf(locks, 'operation'),
    ...list.facts,
  };
};
