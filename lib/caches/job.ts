import 'server-only';
import type { AuditJson, Outcome } from '@/lib/command/define';
import { recordHistoryEvent } from '@/lib/history/events';
import { type JobContext, type JobDefinition, Unfinished } from '@/lib/jobs/define';
import { iso } from '@/lib/time';
import { beginAftermath } from './aftermath';
import { invalidateKeys } from './invalidation';
import type { Target } from './reach';
import { cacheContracts, type InvalidationResult, type InvalidationTarget } from './schema';
import { newTally, type Tally } from './tally';
import { resolveTarget } from './target';

interface InvalidationWork {
  target: InvalidationTarget;
  withoutUndo: boolean;
  /** How many keys it was when it was asked for. */
  total: number;
}

const resultOf = (tally: Tally, undoUntil: number | null): InvalidationResult => {
  const { matched, deleted, vanished, changed, guarded, notKept, memoryBytes } = tally;
  const counts = { matched, deleted, vanished, changed, guarded, notKept };
  return { ...counts, memoryBytes, undoUntil: undoUntil === null ? null : iso(undoUntil) };
};

/** On the charts, and followed from now on. */
const mark = async (ctx: JobContext, target: Target, tally: Tally, startedAt: number): Promise<void> => {
  const what = target.family?.title ?? (target.kind === 'keys' ? 'Keys' : target.label);
  const text = `${what} invalidated: ${tally.deleted} ${tally.deleted === 1 ? 'key' : 'keys'}`;
  const connection = ctx.connection.config.id;
  await recordHistoryEvent(ctx.store, connection, { kind: 'invalidation', text, auditId: ctx.auditId });
  const families = [...tally.families].sort();
  await beginAftermath(ctx.store, {
    auditId: ctx.auditId,
    connection,
    families,
    startedAt,
    endedAt: ctx.now(),
  });
};

/** Where a caller's data names nothing any more, nothing is deleted. */
const run = async (ctx: JobContext, data: AuditJson): Promise<Outcome<Record<string, unknown>>> => {
  const work = data as unknown as InvalidationWork;
  const target = resolveTarget(ctx.catalog, work.target);
  const tally = newTally();
  const startedAt = ctx.now();
  try {
    const undoUntil = await invalidateKeys(ctx, { ...work, target }, tally);
    return { result: { ...resultOf(tally, undoUntil) } };
  } catch (error) {
    throw new Unfinished(error, { result: { ...resultOf(tally, null) } });
  } finally {
    if (tally.deleted > 0) await mark(ctx, target, tally, startedAt).catch(() => undefined);
  }
};

/** Never tried a second time: what was deleted is rebuilt by then, and would be deleted again. */
export const invalidationJob: JobDefinition = {
  action: cacheContracts.invalidate.id,
  permission: 'caches:invalidate',
  attempts: 1,
  run,
};
