import 'server-only';
import { keepUndo } from '@/lib/command/undo-record';
import type { JobContext } from '@/lib/jobs/define';
import type { Key } from '@/lib/redis/commands';
import { deleteOnly } from './deletion';
import { InTurn } from './in-turn';
import { forgetKept, Kept, type KeptEntry } from './kept';
import { type Snapshot, snapshot, unlinkUnchanged } from './snapshot';
import { AHEAD, type InvalidationPlan, note, type Tally } from './tally';
import { batchesOf, isUnthrottled, keysOf, mayTouchSensitive, type Paced, paced } from './walk';

/** A key that changes each time it is about to go is left alone after this many attempts. */
const ATTEMPTS = 3;

/**
 * Keeps each key before it is deleted, and deletes it only as it was kept. While one batch is stored and deleted the
 * next is read, where the budget asks for no pauses.
 */
class KeepingDeletion {
  private readonly ctx: JobContext;
  private readonly plan: InvalidationPlan;
  private readonly tally: Tally;
  private readonly kept: Kept;
  private readonly inTurn: InTurn;
  private readonly slowRead: Paced;
  private readonly slowDelete: Paced;
  private again: Key[] = [];
  /** What was kept of them is not to be put back: the application deleted them, or they were left alone. */
  private readonly voids: Key[] = [];

  constructor(ctx: JobContext, plan: InvalidationPlan, tally: Tally) {
    this.ctx = ctx;
    this.plan = plan;
    this.tally = tally;
    this.slowRead = paced(ctx);
    this.slowDelete = paced(ctx);
    this.kept = new Kept(ctx.store, ctx.auditId);
    this.inTurn = new InTurn(isUnthrottled(ctx) ? AHEAD : 0);
  }

  /** Returns until when it can be taken back, epoch ms; null where nothing was deleted that was kept. */
  async run(): Promise<number | null> {
    try {
      for await (const keys of keysOf(this.ctx, this.plan, this.tally)) {
        if (this.ctx.signal.aborted) break;
        await this.take(keys, 'plain');
      }
      await this.inTurn.end();
      for (let attempt = 1; attempt < ATTEMPTS && !this.ctx.signal.aborted; attempt++) {
        const changed = this.again;
        this.again = [];
        await this.take(changed, 'again');
        await this.inTurn.end();
      }
    } finally {
      // What is under way is waited for, so that the count is right whatever happened.
      await this.inTurn.settled();
      this.leave(this.again);
    }
    return this.finish();
  }

  private leave(keys: readonly Key[]): void {
    this.tally.changed += keys.length;
    this.voids.push(...keys);
  }

  private async finish(): Promise<number | null> {
    if (this.kept.keys === 0) {
      await forgetKept(this.ctx.store, this.ctx.auditId);
      return null;
    }
    if (this.voids.length > 0) {
      const value = Buffer.alloc(0);
      const entries = this.voids.map((key): KeptEntry => ({ key, mark: 'void', expires: -1, value }));
      await this.kept.add(await this.kept.prepare(entries), 0);
    }
    return this.keepRecord();
  }

  private keepRecord(): Promise<number> {
    const { ctx, plan } = this;
    const sensitive = mayTouchSensitive(ctx, plan.target);
    return keepUndo(ctx.store, ctx.auditId, {
      of: 'keys',
      auditId: ctx.auditId,
      label: plan.target.label,
      sensitive,
    });
  }

  private async take(keys: readonly Key[], mark: 'plain' | 'again'): Promise<void> {
    for (const batch of batchesOf(this.ctx, keys)) {
      for (let left = batch; left.length > 0 && !this.ctx.signal.aborted; ) {
        const shot = await this.slowRead(() => snapshot(this.ctx.writer, left));
        left = shot.left;
        const packed = this.kept.prepare(shot.there.map((key) => ({ ...key, mark })));
        packed.catch(() => undefined);
        await this.inTurn.add(() => this.remove(shot, packed, mark));
      }
    }
  }

  private async remove(shot: Snapshot, packed: Promise<Buffer>, mark: 'plain' | 'again'): Promise<void> {
    const { ctx, plan, tally, kept } = this;
    if (ctx.signal.aborted) return;
    const { there, tooLarge, gone } = shot;
    if (kept.keys === 0 && there.length > 0) await this.keepRecord();
    // Nothing is deleted before it is kept and its deletion announced.
    await Promise.all([
      there.length > 0 ? packed.then((bytes) => kept.add(bytes, there.length)) : null,
      note(ctx, plan, tally, there.length + tooLarge.length),
    ]);
    if (ctx.signal.aborted) {
      if (there.length > 0) await kept.drop(there.length);
      return;
    }
    const looked = there.length + tooLarge.length;
    tally.inDoubt += looked;
    const done = await this.slowDelete(() => unlinkUnchanged(ctx.writer, shot));
    tally.inDoubt -= looked;
    tally.deleted += done.deleted;
    tally.vanished += gone.length + done.gone.length;
    const lost = new Set(done.gone);
    tally.notKept += tooLarge.filter((key) => !lost.has(key)).length;
    const share = looked > 0 ? done.deleted / looked : 0;
    tally.memoryBytes = (tally.memoryBytes ?? 0) + Math.round(shot.memoryBytes * share);
    tally.matched += mark === 'plain' ? looked + gone.length : 0;
    this.again.push(...done.changed);
    this.voids.push(...done.gone, ...(mark === 'again' ? [...gone, ...tooLarge] : []));
  }
}

/** Deletes what a target reaches. Returns until when it can be taken back, epoch ms. */
export const invalidateKeys = async (
  ctx: JobContext,
  plan: InvalidationPlan,
  tally: Tally,
): Promise<number | null> => {
  await note(ctx, plan, tally, 0);
  try {
    if (plan.withoutUndo) return await deleteOnly(ctx, plan, tally).then(() => null);
    return await new KeepingDeletion(ctx, plan, tally).run();
  } finally {
    // Also where it failed: what is known by now is what the record says. The failure is told before the store's own.
    await note(ctx, plan, tally, tally.inDoubt).catch(() => undefined);
  }
};
