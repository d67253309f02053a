import 'server-only';
import { storeUndo } from '@/lib/command/undo-record';
import type { JobContext } from '@/lib/jobs/define';
import { ahead } from '@/lib/redis/ahead';
import type { Pace } from '@/lib/redis/budget';
import type { Key } from '@/lib/redis/commands';
import { untilConnected, walkWithRestart } from '@/lib/redis/server-process';
import { refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { type Snapshot, snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { deleteSnapshots, type SnapshotEntry, Snapshots } from '@/lib/snapshots/snapshots';
import {
  batchesOf,
  itself,
  keysOf,
  markCounted,
  newTargetScan,
  paced,
  pacesOf,
  restartOptions,
  type TargetScan,
} from './batches';
import { mayChangeSensitive } from './guarded';
import { idOf } from './scan';
import type { Target } from './target';

/** Counts of an invalidation so far. `matched`: deleted, vanished, changed or about to be deleted. */
export interface DeletionCounts extends TargetScan {
  matched: number;
  deleted: number;
  vanished: number;
  changed: number;
  notKept: number;
  /** Keys of a running deletion. If its reply is lost, they may or may not be deleted. */
  inDoubt: number;
  memoryBytes: number | null;
}

export const newCounts = (): DeletionCounts => ({
  matched: 0,
  deleted: 0,
  vanished: 0,
  changed: 0,
  notKept: 0,
  inDoubt: 0,
  memoryBytes: null,
  ...newTargetScan(),
});

export interface DeletionPlan {
  target: Target;
  withoutUndo: boolean;
  /** The expected number of keys. */
  total: number;
}

/** Saves what is deleted and how many keys come next. Must be awaited before they are deleted. */
const announce = (
  ctx: JobContext,
  plan: DeletionPlan,
  counts: DeletionCounts,
  pending: number,
): Promise<void> => ctx.progress(counts.deleted, Math.max(plan.total, counts.matched), pending);

/** The size of one key is measured for every eighth batch. */
const MEASURE_EVERY = 8;

const sizeOf = async (ctx: JobContext, key: Key): Promise<number | null> => {
  const [size] = await ctx.connection.background.readMany([['MEMORY USAGE', key]]);
  return typeof size === 'number' ? size : null;
};

/** Deletes keys without undo. */
class PlainDeletion {
  private readonly paceOf: (near: Key) => Pace;
  private readonly sizes: number[] = [];
  private pending = 0;

  constructor(
    private readonly ctx: JobContext,
    private readonly plan: DeletionPlan,
    private readonly counts: DeletionCounts,
  ) {
    this.paceOf = pacesOf(ctx, 'delete');
  }

  async run(): Promise<void> {
    const { ctx, counts, paceOf } = this;
    const batches = async () => {
      await ctx.follows();
      return ahead(this.announced());
    };
    for await (const batch of walkWithRestart(ctx.connection, batches, restartOptions(ctx, counts))) {
      await untilConnected(ctx.connection, ctx.signal);
      if (ctx.signal.aborted) return;
      counts.inDoubt = batch.length;
      const deleted = await paced(ctx, paceOf(batch[0]!), batch.length, () => ctx.writer.unlink(batch));
      counts.inDoubt = 0;
      this.pending -= batch.length;
      counts.matched += batch.length;
      counts.deleted += deleted;
      counts.vanished += batch.length - deleted;
      markCounted(counts, batch);
      const sum = this.sizes.reduce((a, b) => a + b, 0);
      if (sum > 0) counts.memoryBytes = Math.round((sum / this.sizes.length) * counts.deleted);
    }
  }

  /** The next batch is announced while one is deleted, and both are pending. */
  private async *announced(): AsyncGenerator<Key[]> {
    const { ctx, plan, counts, paceOf } = this;
    let batches = 0;
    this.pending = 0;
    for await (const batch of batchesOf(
      ctx,
      itself,
      (near) => paceOf(near).keys(),
      keysOf(ctx, plan, counts),
    )) {
      this.pending += batch.length;
      const measured = batches++ % MEASURE_EVERY === 0 ? sizeOf(ctx, batch[0]!) : null;
      const [size] = await Promise.all([measured, announce(ctx, plan, counts, this.pending)]);
      if (size !== null) this.sizes.push(size);
      yield batch;
    }
  }
}

/** A key that changes before each attempt to delete it is skipped after this many. */
const MAX_ATTEMPTS = 3;

/** A snapshot, and the same packed for the store. */
interface PackedSnapshot {
  shot: Snapshot;
  packed: Promise<Buffer>;
}

/** Stores a copy of each key, and deletes the key only if it still equals the copy. */
class UndoableDeletion {
  private readonly kept: Snapshots;
  private readonly copyPace: (near: Key) => Pace;
  private readonly deletePace: (near: Key) => Pace;
  private again: Key[] = [];
  /** Keys whose copies must not be restored: the application deleted them, or they were skipped. */
  private readonly voids = new Map<string, Key>();

  constructor(
    private readonly ctx: JobContext,
    private readonly plan: DeletionPlan,
    private readonly counts: DeletionCounts,
  ) {
    this.copyPace = pacesOf(ctx, 'copy');
    this.deletePace = pacesOf(ctx, 'delete unchanged');
    this.kept = new Snapshots(ctx.store, ctx.auditId);
  }

  /** Returns until when it can be undone, epoch ms; null when no copy was stored. */
  async run(): Promise<number | null> {
    const { ctx, plan, counts } = this;
    try {
      const keys = async () => {
        await ctx.follows();
        return this.take(this.batches(keysOf(ctx, plan, counts)), true);
      };
      await this.removeAll(walkWithRestart(ctx.connection, keys, restartOptions(ctx, counts)), true);
      for (let attempt = 1; attempt < MAX_ATTEMPTS && !ctx.signal.aborted; attempt++) {
        const changed = this.again;
        this.again = [];
        await this.removeAll(this.take(this.batches([changed]), false), false);
      }
    } catch (error) {
      // The keys deleted so far can be undone. Keys that others deleted must not be restored with them.
      await this.storeVoids().catch(() => undefined);
      throw error;
    }
    return this.finish();
  }

  private voidCopies(keys: readonly Key[]): void {
    for (const key of keys) this.voids.set(idOf(key), key);
  }

  private async finish(): Promise<number | null> {
    await this.storeVoids();
    if (this.kept.keys === 0) {
      await deleteSnapshots(this.ctx.store, this.ctx.auditId);
      return null;
    }
    return this.storeUndoRecord();
  }

  private async storeVoids(): Promise<void> {
    this.counts.changed += this.again.length;
    this.voidCopies(this.again);
    const voids = [...this.voids.values()];
    if (this.kept.keys === 0 || voids.length === 0) return;
    const value = Buffer.alloc(0);
    const entries = voids.map((key): SnapshotEntry => ({ key, mark: 'void', expires: -1, value }));
    await this.kept.add(await this.kept.prepare(entries), 0);
  }

  private storeUndoRecord(): Promise<number> {
    const { ctx, plan } = this;
    const sensitive = mayChangeSensitive(ctx, plan.target);
    return storeUndo(ctx.store, ctx.auditId, {
      of: 'keys',
      auditId: ctx.auditId,
      label: plan.target.label,
      sensitive,
    });
  }

  private async removeAll(steps: AsyncGenerator<PackedSnapshot>, isFirst: boolean): Promise<void> {
    for await (const taken of steps) {
      if (this.ctx.signal.aborted) return;
      await this.remove(taken, isFirst);
    }
  }

  /** Both calls of a batch have the same keys, so the more expensive one decides how many. */
  private batches(pages: AsyncIterable<Key[]> | Iterable<Key[]>): AsyncGenerator<Key[]> {
    const { copyPace, deletePace, ctx } = this;
    return batchesOf(ctx, itself, (near) => Math.min(copyPace(near).keys(), deletePace(near).keys()), pages);
  }

  private take(batches: AsyncGenerator<Key[]>, isFirst: boolean): AsyncGenerator<PackedSnapshot> {
    return ahead(this.snapshots(batches, isFirst));
  }

  /** Whether earlier copies of these keys are outdated: this is a later attempt, or a restarted walk. */
  private isAgain(isFirst: boolean): boolean {
    return !isFirst || this.counts.isRestarted;
  }

  private async *snapshots(batches: AsyncGenerator<Key[]>, isFirst: boolean): AsyncGenerator<PackedSnapshot> {
    for await (const batch of batches) {
      for (let left = batch; left.length > 0; ) {
        const keys = left;
        const shot = await paced(this.ctx, this.copyPace(keys[0]!), keys.length, () =>
          snapshot(this.ctx.writer, keys),
        );
        left = shot.left;
        const mark = this.isAgain(isFirst) ? 'again' : 'plain';
        const packed = this.kept.prepare(shot.there.map((key) => ({ ...key, mark })));
        packed.catch(() => undefined);
        yield { shot, packed };
      }
    }
  }

  private async remove({ shot, packed }: PackedSnapshot, isFirst: boolean): Promise<void> {
    const { ctx, plan, counts, kept } = this;
    const { there, tooLarge, gone } = shot;
    const present = there.length + tooLarge.length;
    if (kept.keys === 0 && there.length > 0) {
      await refuseUnlessRestorable(ctx.writer, there[0]!.key);
      await this.storeUndoRecord();
    }
    // A key is deleted only after its copy is stored and its deletion announced.
    await Promise.all([
      there.length > 0 ? packed.then((bytes) => kept.add(bytes, there.length)) : null,
      announce(ctx, plan, counts, present),
    ]);
    await untilConnected(ctx.connection, ctx.signal);
    if (ctx.signal.aborted) {
      if (there.length > 0) await kept.drop(there.length);
      return;
    }
    counts.inDoubt = present;
    const near = there[0]?.key ?? tooLarge[0];
    const done = near
      ? await paced(ctx, this.deletePace(near), present, () => unlinkUnchanged(ctx.writer, shot))
      : await unlinkUnchanged(ctx.writer, shot);
    counts.inDoubt = 0;
    counts.deleted += done.deleted;
    counts.vanished += gone.length + done.gone.length;
    const lost = new Set(done.gone);
    counts.notKept += tooLarge.filter((key) => !lost.has(key)).length;
    const share = present > 0 ? done.deleted / present : 0;
    counts.memoryBytes = (counts.memoryBytes ?? 0) + Math.round(shot.memoryBytes * share);
    counts.matched += isFirst ? present + gone.length : 0;
    markCounted(counts, [...there.map(({ key }) => key), ...tooLarge, ...gone]);
    this.again.push(...done.changed);
    for (const key of done.changed) counts.skipped.add(idOf(key));
    // These keys were deleted with a current copy, so an undo may restore them.
    for (const { key } of there) this.voids.delete(idOf(key));
    this.voidCopies([...done.gone, ...(this.isAgain(isFirst) ? [...gone, ...tooLarge] : [])]);
  }
}

/** Deletes the keys of a target. Returns until when that can be undone, epoch ms. */
export const deleteKeys = async (
  ctx: JobContext,
  plan: DeletionPlan,
  counts: DeletionCounts,
): Promise<number | null> => {
  await announce(ctx, plan, counts, 0);
  try {
    if (plan.withoutUndo) return await new PlainDeletion(ctx, plan, counts).run().then(() => null);
    return await new UndoableDeletion(ctx, plan, counts).run();
  } finally {
    // Also after a failure, so that the job's record is up to date. A store error must not hide the failure.
    await announce(ctx, plan, counts, counts.inDoubt).catch(() => undefined);
  }
};
