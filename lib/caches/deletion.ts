import 'server-only';
import type { JobContext } from '@/lib/jobs/define';
import type { Key } from '@/lib/redis/commands';
import { chunksACall } from './count';
import { InTurn } from './in-turn';
import { AHEAD, type InvalidationPlan, note, type Tally } from './tally';
import {
  batchesOf,
  isUnthrottled,
  keysOf,
  mayTakeAll,
  type Paced,
  paced,
  refuseEndless,
  type Walk,
} from './walk';

const MEASURED_ONE_IN = 8;

/**
 * Deletes without keeping anything; now and then the size of a key stands for those of many. Without pauses the next
 * batch is noted while one is deleted: then both are pending.
 */
class Deletion {
  private readonly ctx: JobContext;
  private readonly plan: InvalidationPlan;
  private readonly tally: Tally;
  private readonly sizes: number[] = [];
  private batches = 0;
  private pending = 0;
  private noted: Promise<void> = Promise.resolve();

  constructor(ctx: JobContext, plan: InvalidationPlan, tally: Tally) {
    this.ctx = ctx;
    this.plan = plan;
    this.tally = tally;
  }

  async run(): Promise<void> {
    const { ctx, plan, tally } = this;
    const inTurn = new InTurn(isUnthrottled(ctx) ? AHEAD : 0);
    const slowly = paced(ctx);
    try {
      for await (const keys of keysOf(ctx, plan, tally, await this.walkThatDeletes())) {
        for (const batch of batchesOf(ctx, keys)) {
          if (ctx.signal.aborted) break;
          const announced = this.announce(batch.length);
          await inTurn.add(() => this.remove(batch, announced, slowly));
        }
        if (ctx.signal.aborted) break;
      }
      await inTurn.end();
    } finally {
      // What is under way is waited for, so that the count is right whatever happened.
      await inTurn.settled();
    }
    const sum = this.sizes.reduce((a, b) => a + b, 0);
    const one = this.sizes.length > 0 ? sum / this.sizes.length : null;
    tally.memoryBytes = one === null ? null : Math.round(one * tally.deleted);
  }

  /** Noted before the deletion: if the process dies in it, the record says how many are in doubt. */
  private announce(count: number): Promise<void> {
    this.pending += count;
    this.noted = this.noted.then(() => note(this.ctx, this.plan, this.tally, this.pending));
    this.noted.catch(() => undefined);
    return this.noted;
  }

  private count(announced: number, matched: number, deleted: number): void {
    this.pending -= announced;
    this.tally.matched += matched;
    this.tally.deleted += deleted;
    this.tally.vanished += matched - deleted;
  }

  private async remove(keys: readonly Key[], announced: Promise<void>, slowly: Paced): Promise<void> {
    await announced;
    if (this.ctx.signal.aborted) return;
    if (this.batches++ % MEASURED_ONE_IN === 0) {
      const [size] = await this.ctx.connection.background.readMany([['MEMORY USAGE', keys[0]!]]);
      if (typeof size === 'number') this.sizes.push(size);
    }
    this.tally.inDoubt += keys.length;
    const deleted = await slowly(() => this.ctx.writer.unlink(keys));
    this.tally.inDoubt -= keys.length;
    this.count(keys.length, keys.length, deleted);
  }

  /**
   * Where nothing is to be gentle with, the keys of a whole family are deleted where they are met: the server tells by
   * itself of nearly all of them that they are meant, and neither sends nor looks up their names. Null where it cannot.
   */
  private async walkThatDeletes(): Promise<Walk | null> {
    const { ctx, plan, tally } = this;
    const [search, ...others] = mayTakeAll(ctx, plan.target);
    if (!search?.check || others.length > 0 || !isUnthrottled(ctx)) return null;
    const { match, check } = search;
    return ctx.writer.unlinkWhole(
      { match, check },
      {
        times: chunksACall(ctx),
        before: async (most) => {
          refuseEndless(tally.deleted, plan.total);
          await this.announce(most);
          if (ctx.signal.aborted) return false;
          tally.inDoubt += most;
          return true;
        },
        after: (most, deleted, memoryBytes) => {
          tally.inDoubt -= most;
          if (memoryBytes !== null) this.sizes.push(memoryBytes);
          this.count(most, deleted, deleted);
        },
      },
    );
  }
}

export const deleteOnly = (ctx: JobContext, plan: InvalidationPlan, tally: Tally): Promise<void> =>
  new Deletion(ctx, plan, tally).run();
