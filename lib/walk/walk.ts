import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { logBroken } from '@/lib/log';
import { ahead } from '@/lib/redis/ahead';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { describeFailure, isNotPermitted, isStoreUnavailable } from '@/lib/redis/failure';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { isScanCursor, type ScanStep, walkNodes } from '@/lib/redis/scan-nodes';
import { cursorExpired, cursorOwner, cursorOwnerNow, walkWithRestart } from '@/lib/redis/server-process';
import { type Store, store } from '@/lib/redis/store';
import { pacesOf } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';
import { factsByCommands, measureLarge } from './by-commands';
import { factsByScript } from './by-script';
import { Chunks } from './chunks';
import type { Wanted } from './collector';
import { writeCost, writeRunning } from './costs';
import { askedOf, type ReadFacts, Refusals, widerOf } from './facts';
import { gathered } from './gathered';
import { cursorIn, placeOf } from './place';
import type { WalkCost, WalkPart } from './schema';
import { whyNoScripts } from './script-access';
import type { Seat } from './seat';
import {
  FEW_LENGTHS,
  hasLongIdle,
  IDLE_ENDED,
  type Touch,
  touchOf,
  wantsLengths,
  withFewLengths,
} from './touching';

/** The script ends by time, so its calls may have this multiple of the budget's keys. */
const TIMES = 20;
/** The server's time per call where the budget has no pauses. */
const UNPACED_MICROS = 10_000;
const REPORT_MS = SECOND;
/** The minimal number of keys processed together, as a multiple of the budget's chunk. */
const GATHERED = 5;

/** Figures that are only shown do not end a walk when the store is unavailable. The command for CI has no store. */
const unlessBroken = async (work: (to: Store) => Promise<void>): Promise<void> => {
  try {
    if (env().storeUrl !== null) await work(store());
  } catch (error) {
    if (!isStoreUnavailable(error) && !(error instanceof Problem)) logBroken('the record of a walk', error);
  }
};

/** One walk over all keys, for several participants. */
export class Walk {
  private readonly nobody = new AbortController();
  private refusals = new Refusals();
  private counts = { keys: 0, vanished: 0, calls: 0, serverMs: 0 };
  private readonly startedAt = new Date();
  private reportedAt = 0;
  /** Why keys are read by commands. */
  private reason: string | null = null;
  private touch: Touch = 'nothing';

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly seats: readonly Seat[],
  ) {
    for (const seat of seats)
      seat.onLeave = () => {
        if (this.present().length === 0) this.nobody.abort();
      };
  }

  private present(): Seat[] {
    return this.seats.filter(({ isPresent }) => isPresent);
  }

  private parts(): WalkPart[] {
    return [...new Set(this.present().map(({ part }) => part))];
  }

  async run(): Promise<void> {
    if (this.present().length === 0) return;
    try {
      await this.walk();
      const cost = this.cost();
      await this.record(cost);
      for (const seat of this.present()) await seat.end(cost);
    } catch (error) {
      await this.record(null);
      for (const seat of this.present()) seat.leave(error);
    }
  }

  private async walk(): Promise<void> {
    const { signal } = this.nobody;
    this.reason = await whyNoScripts(this.handle);
    const { from } = this.seats[0]!;
    if (from === undefined) {
      for await (const _ of walkWithRestart(this.handle, () => this.pass(), { signal }));
      return;
    }
    const begun = await cursorOwner(this.handle);
    const cursor = cursorIn(from, begun);
    if (!cursor || !isScanCursor(cursor)) throw cursorExpired();
    for await (const _ of this.pass(cursor)) if (cursorOwnerNow(this.handle) !== begun) throw cursorExpired();
  }

  /**
   * Walks from the beginning, or from a cursor, to the end. Yields after each chunk, when all participants have
   * processed it.
   */
  private async *pass(cursor?: string): AsyncGenerator<void> {
    const { handle } = this;
    const begun = cursorOwnerNow(handle);
    this.refusals = new Refusals();
    this.counts = { keys: 0, vanished: 0, calls: 0, serverMs: 0 };
    this.touch = await touchOf(handle);
    for (const seat of this.present()) seat.begin();
    const chunks = new Chunks(handle, catalogOf(handle), this.refusals);
    const reads = gathered(this.read(cursor), GATHERED * handle.budget.limits.chunk);
    for await (const { facts: value, calls, cursor: next, share, isStill } of ahead(reads)) {
      // Only this walk knows which keys of moving slots it has yielded.
      if (!isStill && cursor !== undefined) throw cursorExpired();
      this.stopIfAlone();
      await this.measureLarge(value);
      this.noteTouch(value);
      const chunk = await chunks.next(value, this.wants());
      this.counts.keys += chunk.keys.length;
      this.counts.vanished += value.vanished;
      this.counts.calls += calls;
      this.counts.serverMs += value.serverMs;
      await Promise.all(this.present().map((seat) => seat.add(chunk, handle.config.id)));
      // A chunk of another process has no place: the walk restarts. Nor is there a place once slots have moved.
      if (cursorOwnerNow(handle) === begun) {
        const place = next && isStill ? placeOf(next, begun) : null;
        await Promise.all(this.present().map((seat) => seat.report(place, share, handle.config.id)));
        await this.reportRunning(share);
      }
      this.stopIfAlone();
      yield;
    }
  }

  private stopIfAlone(): void {
    if (this.present().length === 0) this.nobody.abort();
    this.nobody.signal.throwIfAborted();
  }

  /** One call per large collection: a call for several would block the server for too long. */
  private async measureLarge(facts: ReadFacts): Promise<void> {
    const { handle, refusals, nobody, isFaster } = this;
    const paceOf = pacesOf(handle.topology, 'large keys', { signal: nobody.signal, isFaster });
    for (const i of facts.large) {
      nobody.signal.throwIfAborted();
      const measure = () => measureLarge(handle, refusals, facts, i);
      await paceOf(facts.keys[i]!).run(() => timeRoundTrip(measure));
    }
  }

  /** The wants of all participants, limited to what this walk may read. */
  private wants(): Wanted[] {
    const wants = this.present().flatMap((seat) => seat.wants ?? []);
    return this.mayReadLengths() ? wants : wants.map(withFewLengths);
  }

  /** Where reading counts as use, only a user may request it, and never where the server evicts unused keys. */
  private mayReadLengths(): boolean {
    if (this.touch !== 'idle times') return this.touch === 'nothing';
    return this.present().some(({ isRegular, wants }) => !isRegular && wantsLengths(wants));
  }

  /** Adds to the walk's cost what reading lengths omitted or changed. */
  private noteTouch({ idle }: ReadFacts): void {
    if (this.touch === 'nothing' || !this.present().some(({ wants }) => wantsLengths(wants))) return;
    if (!this.mayReadLengths()) this.refusals.fewLengths = FEW_LENGTHS;
    else if (hasLongIdle(idle)) this.refusals.explain(IDLE_ENDED);
  }

  private read(cursor: string | undefined) {
    const { handle, refusals, isPaced, isFaster } = this;
    const asked = () => {
      const wants = askedOf(this.wants());
      // Reading lengths resets idle times, so these are read first.
      return this.touch === 'nothing' ? wants : { ...wants, idle: widerOf(wants.idle, wants.lengths) };
    };
    const { shareBefore } = this.seats[0]!;
    const options = { cursor, shareBefore, isFaster, signal: this.nobody.signal, withShare: true };
    const byCommands = factsByCommands(handle, asked, refusals);
    if (this.reason !== null)
      return walkNodes(handle, { ...options, times: isPaced ? 1 : TIMES }, 'walk by commands', byCommands);
    const micros = () => (isPaced ? handle.budget.callMs(isFaster()) * 1000 : UNPACED_MICROS);
    const byScript = factsByScript(asked, refusals, micros);
    const step: ScanStep<() => ReadFacts> = async (redis, from, count, node, isAsking) => {
      if (this.reason === null)
        try {
          return await byScript(redis, from, count, node, isAsking);
        } catch (error) {
          if (!isNotPermitted(error)) throw error;
          // Permissions may change during a walk.
          this.reason = describeFailure(error);
        }
      const keys = Math.min(count, handle.budget.limits.chunk);
      return { ...(await byCommands(redis, from, keys, node, isAsking)), keys };
    };
    return walkNodes(handle, { ...options, times: TIMES }, 'walk', step);
  }

  private readonly isFaster = (): boolean => this.present().some((seat) => seat.isFaster);

  private get isPaced(): boolean {
    return this.handle.budget.limits.pauseMs > 0;
  }

  private cost(): WalkCost {
    const { keys, vanished, calls, serverMs } = this.counts;
    const sentences = this.refusals.all().join(' ') || null;
    return {
      startedAt: this.startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      parts: this.parts(),
      keys,
      vanished,
      calls,
      serverMs: Math.round(serverMs * 10) / 10,
      byScript: this.reason === null,
      reason: this.reason && sentences ? `${this.reason}. ${sentences}` : (this.reason ?? sentences),
    };
  }

  private async reportRunning(share: number): Promise<void> {
    if (Date.now() - this.reportedAt < REPORT_MS) return;
    this.reportedAt = Date.now();
    const startedAt = this.startedAt.toISOString();
    await unlessBroken((to) =>
      writeRunning(to, this.handle.config.id, { startedAt, share, parts: this.parts() }),
    );
  }

  private record(cost: WalkCost | null): Promise<void> {
    const startedAt = this.startedAt.toISOString();
    return unlessBroken((to) => writeCost(to, this.handle.config.id, startedAt, cost));
  }
}
