import 'server-only';
import { z } from 'zod';
import { appendUndone } from '@/lib/audit/log';
import { undoContract } from '@/lib/audit/schema';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Outcome, Undone } from '@/lib/command/define';
import { Problem, withDetail } from '@/lib/errors';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import type { Permission } from '@/lib/permissions';
import type { Pace } from '@/lib/redis/budget';
import type { Arg, Key } from '@/lib/redis/commands';
import { classify, unavailable } from '@/lib/redis/failure';
import { type ItemState, runOnEach } from '@/lib/redis/run-on-each';
import { expiryArg, RESTORE_KEYS, refusalOf, restoreArgs } from '@/lib/snapshots/restore-keys';
import { deleteSnapshots, readSnapshots, replacePart, type SnapshotEntry } from '@/lib/snapshots/snapshots';
import { approvalMatcher } from '@/lib/values/two-person';
import { paced, pacesOf } from './batches';
import { mayTouchSensitive, refuseSensitive, SENSITIVE } from './guarded';
import { renameBack } from './rename-back';
import type { RestorationResult } from './schema';
import { restoreTrimmedArgs } from './trimmed-entry';

/** Undo data: what is restored (for trims, what they removed), and whether guarded keys are included. */
const undoData = z.strictObject({
  of: z.enum(['keys', 'ttls', 'renames', 'trims']),
  auditId: z.string(),
  label: z.string(),
  sensitive: z.boolean(),
});
type UndoData = z.output<typeof undoData>;

const MAX_BATCH_BYTES = 512 * 1024;

/** The script for each kind, with its arguments for one key. */
const SCRIPTS = {
  keys: { ...RESTORE_KEYS, args: restoreArgs },
  ttls: {
    name: 'reset-ttl',
    otherCalls: RESTORE_KEYS.otherCalls,
    args: ({ key, expires, value }: SnapshotEntry): Arg[] => [
      key,
      expiryArg(expires),
      expiryArg(value.readDoubleBE()),
    ],
  },
  trims: { name: 'restore-trimmed', otherCalls: RESTORE_KEYS.otherCalls, args: restoreTrimmedArgs },
};

const STATES: Record<string, keyof RestorationResult> = {
  r: 'restored',
  b: 'rebuilt',
  e: 'expired',
  x: 'refused',
};

/** Only the last copy of a key counts. Parts come newest first. */
const latestCopies = (entries: readonly SnapshotEntry[], superseded: Set<string>): SnapshotEntry[] =>
  entries.filter(({ key, mark }) => {
    const id = mark === 'plain' && superseded.size === 0 ? '' : key.toString('latin1');
    if (superseded.has(id)) return false;
    if (mark !== 'plain') superseded.add(id);
    return mark !== 'void';
  });

/** Batches of keys of one node, limited in size, and in number to a call at this pace. */
function* batchesOf(
  ctx: JobContext,
  paceOf: (key: Key) => Pace,
  entries: readonly SnapshotEntry[],
): Generator<SnapshotEntry[]> {
  for (const group of ctx.writer.byNode(entries, ({ key }) => key)) {
    const pace = paceOf(group[0]!.key);
    let [batch, bytes, most]: [SnapshotEntry[], number, number] = [[], 0, pace.keys()];
    for (const entry of group) {
      if (batch.length > 0 && (batch.length >= most || bytes + entry.value.length > MAX_BATCH_BYTES)) {
        yield batch;
        [batch, bytes, most] = [[], 0, pace.keys()];
      }
      batch.push(entry);
      bytes += entry.value.length;
    }
    yield batch;
  }
}

/** Restores the parts one after the other. A key is done when it is restored, exists again or would have expired. */
class Restoration {
  readonly result: RestorationResult = { kept: 0, restored: 0, rebuilt: 0, expired: 0, refused: 0 };
  /** Keys of a running call. If its reply is lost, they may or may not be restored. */
  pending = 0;
  /** Why keys were refused. */
  refusal = 'these keys need approval';
  private readonly superseded = new Set<string>();
  private readonly paceOf: (key: Key) => Pace;
  private readonly needsApproval: (key: Key) => boolean;

  constructor(
    private readonly ctx: JobContext,
    private readonly change: UndoData,
  ) {
    this.paceOf = pacesOf(ctx, 'restore');
    this.needsApproval = approvalMatcher(ctx);
  }

  async run(): Promise<void> {
    const { ctx, change } = this;
    for await (const { part, entries } of readSnapshots(ctx.store, change.auditId)) {
      const wanted = latestCopies(entries, this.superseded);
      const left = new Set(wanted);
      try {
        await this.restore(wanted, left);
      } finally {
        // No copy is deleted before the current primary has its key.
        if (left.size < wanted.length && (await ctx.confirmed().catch(() => false)))
          await this.deleteCopies(part, entries, left);
      }
      if (ctx.signal.aborted) return;
    }
  }

  private async restore(wanted: readonly SnapshotEntry[], left: Set<SnapshotEntry>): Promise<void> {
    const { ctx, result } = this;
    const free = wanted.filter(({ key }) => !this.needsApproval(key));
    this.count('refused', wanted.length - free.length);
    for (const batch of batchesOf(ctx, this.paceOf, free)) {
      await ctx.progress(result.kept, null, batch.length);
      if (ctx.signal.aborted) return;
      this.pending = batch.length;
      await this.restoreBatch(batch, left);
      this.pending = 0;
    }
  }

  private runOn(batch: readonly SnapshotEntry[]): Promise<ItemState[]> {
    const { ctx, change } = this;
    if (change.of === 'renames') return renameBack(ctx, batch);
    const script = SCRIPTS[change.of];
    const items = batch.map((entry) => ({ key: entry.key, args: script.args(entry) }));
    return runOnEach(ctx.writer, script, items);
  }

  /** Removes keys that are done from `left`. Throws when the server refuses all of them. */
  private async restoreBatch(batch: readonly SnapshotEntry[], left: Set<SnapshotEntry>): Promise<void> {
    const { ctx } = this;
    const states = await paced(this.ctx, this.paceOf(batch[0]!.key), batch.length, () => this.runOn(batch));
    const refusal = states.map(({ reply }) => String(reply[1] ?? '')).find((text) => text !== '') ?? '';
    const error = refusalOf(refusal);
    const failure = error && classify(error);
    batch.forEach((entry, i) => {
      const end = STATES[states[i]!.letter]!;
      if (end !== 'refused') left.delete(entry);
      if (end !== 'refused' || !failure) this.count(end, 1);
    });
    this.pending = 0;
    if (failure) throw unavailable(ctx.connection.config.id, error);
    if (refusal !== '') this.refusal = 'the server refuses their values';
  }

  private count(end: keyof RestorationResult, keys: number): void {
    this.result.kept += keys;
    this.result[end] += keys;
  }

  /** Deletes the copies that are done, but keeps the marks that they supersede older ones. */
  private async deleteCopies(
    part: number,
    entries: readonly SnapshotEntry[],
    left: ReadonlySet<SnapshotEntry>,
  ) {
    const kept = entries.flatMap((entry): SnapshotEntry[] => {
      if (left.has(entry)) return [entry];
      return entry.mark === 'plain' ? [] : [{ ...entry, mark: 'void', value: Buffer.alloc(0) }];
    });
    // If this fails, a second undo finds that these keys exist, which is correct too.
    await replacePart(this.ctx.store, this.change.auditId, part, kept).catch(() => undefined);
  }
}

const COPIES_STAY = ' The copies of the others are still stored: undo again to restore them.';

const partialFailure = (error: unknown, result: RestorationResult, more: string): PartialFailure =>
  new PartialFailure(withDetail(error, `Restored before: ${result.restored}.${more}`), {
    result: { ...result },
  });

const run = async (ctx: JobContext, change: UndoData): Promise<Outcome<Record<string, unknown>>> => {
  const work = new Restoration(ctx, change);
  const { result } = work;
  try {
    await work.run();
  } catch (error) {
    await ctx.progress(result.kept, null, work.pending).catch(() => undefined);
    // If the copies cannot be read, another undo would fail too.
    throw partialFailure(error, result, error instanceof Problem && error.status === 503 ? COPIES_STAY : '');
  }
  await ctx.progress(result.kept, ctx.signal.aborted ? null : result.kept, 0);
  if (ctx.signal.aborted) return { result: { ...result } };
  if (result.refused > 0)
    throw partialFailure(
      new Problem('conflict', `Not restored, because ${work.refusal}: ${result.refused}.`),
      result,
      COPIES_STAY,
    );
  if (!(await ctx.confirmed()))
    throw partialFailure(
      new Problem('conflict', 'The replicas have not confirmed all restored keys.'),
      result,
      ' The copies are still stored: undo again to restore what a failover lost.',
    );
  await appendUndone(ctx.store, change.auditId, ctx.auditId);
  await deleteSnapshots(ctx.store, change.auditId);
  return { result: { ...result } };
};

/** Undoes what a job did to many keys. A second run is harmless: existing keys are skipped. */
export const restorationJob: JobDefinition<typeof undoData> = {
  action: undoContract.id,
  permission: 'caches:invalidate',
  payload: undoData,
  isPaced: true,
  run,
};

/** Starts the job. Throws 403 when it may include guarded keys that the caller may not change. */
export const startRestoration = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const kept = undoData.parse(data);
  const { sensitive, label } = kept;
  if (sensitive && !mayTouchSensitive(ctx)) throw refuseSensitive('restores');
  const needs: Permission[] = sensitive ? [SENSITIVE] : [];
  const jobId = await enqueue(ctx, restorationJob, { data: kept, target: label, needs });
  return { undone: 0, conflicts: [], jobId };
};
