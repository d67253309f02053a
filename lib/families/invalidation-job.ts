import 'server-only';
import { z } from 'zod';
import { catalogOf, findConnection } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import { recordHistoryEvent } from '@/lib/history/events';
import { type InterruptedJob, type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import type { Store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { type DeletionCounts, deleteKeys, newCounts } from './deletion';
import { isRecoveryFollowed, startRecovery } from './recovery';
import { resolveTarget } from './resolve-target';
import { familyContracts, type InvalidationResult, invalidationTarget } from './schema';
import { chartName, type Target } from './target';

const payload = z.strictObject({
  target: invalidationTarget,
  withoutUndo: z.boolean(),
  /** Number of keys when the job was requested. */
  total: z.number(),
});
type InvalidationWork = z.output<typeof payload>;

const resultOf = (counts: DeletionCounts, undoUntil: number | null): InvalidationResult => {
  const { matched, deleted, vanished, changed, guarded, notKept, memoryBytes } = counts;
  const result = { matched, deleted, vanished, changed, guarded, notKept };
  return { ...result, memoryBytes, undoUntil: undoUntil === null ? null : iso(undoUntil) };
};

interface Marked {
  auditId: string;
  connection: string;
  target: Target;
  deleted: number;
  families: readonly string[];
  startedAt: number;
  endedAt: number;
  /** Appended to the text. */
  suffix?: string;
}

/** Marks the invalidation on the charts and starts following the recovery. */
const mark = async (store: Store, marked: Marked): Promise<void> => {
  const { auditId, connection, target, deleted, startedAt, endedAt, suffix = '' } = marked;
  // A process presumed dead may return after its job was marked on its behalf.
  if (await isRecoveryFollowed(store, auditId)) return;
  const text = `${chartName(target)} invalidated: ${deleted} ${deleted === 1 ? 'key' : 'keys'}${suffix}`;
  const families = [...marked.families].sort();
  const family = families.length === 1 ? families[0] : null;
  await recordHistoryEvent(store, connection, { kind: 'invalidation', text, auditId, family });
  await startRecovery(store, { auditId, connection, families, startedAt, endedAt });
};

/** Misses rise even if the process died half-way: marks the known deletions. */
const interrupted = async (
  store: Store,
  { payload: work, done, ...died }: InterruptedJob<InvalidationWork>,
): Promise<void> => {
  const connection = findConnection(died.connection);
  if (!connection || done === 0) return;
  const target = resolveTarget({ connection, catalog: catalogOf(connection) }, work.target);
  const families = target.family ? [target.family.id] : [];
  const endedAt = Date.now();
  const suffix = ' or more, then interrupted';
  await mark(store, {
    auditId: died.auditId,
    connection: died.connection,
    target,
    deleted: done,
    families,
    suffix,
    startedAt: died.startedAt ?? endedAt,
    endedAt,
  });
};

const run = async (ctx: JobContext, work: InvalidationWork): Promise<Outcome<Record<string, unknown>>> => {
  const target = resolveTarget(ctx, work.target);
  const counts = newCounts();
  const startedAt = ctx.now();
  try {
    const undoUntil = await deleteKeys(ctx, { ...work, target }, counts);
    return { result: { ...resultOf(counts, undoUntil) } };
  } catch (error) {
    const result = { ...resultOf(counts, null) };
    throw new PartialFailure(error, { result, after: { ...result, pending: counts.inDoubt } });
  } finally {
    const { deleted, families } = counts;
    const marked = { auditId: ctx.auditId, connection: ctx.connection.config.id, target, deleted };
    const when = { startedAt, endedAt: ctx.now() };
    if (deleted > 0)
      await mark(ctx.store, { ...marked, ...when, families: [...families] }).catch(() => undefined);
  }
};

/** Never retried: the application may have rebuilt the keys, and they would be deleted again. */
export const invalidationJob: JobDefinition<typeof payload> = {
  action: familyContracts.invalidate.id,
  permission: 'caches:invalidate',
  payload,
  isPaced: true,
  run,
  interrupted,
};
