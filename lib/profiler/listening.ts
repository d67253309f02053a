import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LatencyGuard } from '@/lib/redis/latency-guard';
import type { Listener } from '@/lib/redis/monitor-listener';
import { BEHIND } from '@/lib/redis/monitor-reader';
import type { RoundTrip } from '@/lib/redis/round-trip';
import type { Reading } from '@/lib/redis/server-counters';
import { SECOND } from '@/lib/time';
import { type CostBudget, costOf, USUAL_BYTES } from './cost';
import type { Profile } from './schema';

type Ending = Profile['ended'];

export const PROBE_MS = 20;
const MIN_SLICE_MS = 100;
const MAX_WAITING_BYTES = 8 * 2 ** 20;

const COMPLETE: Ending = { why: 'complete', text: null };
const STOPPED: Ending = { why: 'stopped', text: 'it was cancelled' };
const CLOSED: Ending = { why: 'closed', text: 'the server closed the connection' };
const BUFFER: Ending = { why: 'buffer', text: 'the server held more than 8 MiB for the console' };
const SPENT: Ending = {
  why: 'cost',
  text: 'a burst of commands used up the stated cost',
};

export const pause = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

interface Parts {
  /** MONITOR, which calls `mayRead` after each piece. */
  listen: (mayRead: (ahead: number) => boolean) => Listener;
  budget: CostBudget;
  guard: LatencyGuard;
  measure: () => Promise<RoundTrip>;
  readMeter: (listened: boolean) => Promise<Reading>;
  elapsed: () => number;
  clock: { server: number; own: number };
  seconds: number;
  signal: AbortSignal;
  /** Called about every 20 ms. */
  onStep: (elapsedMs: number) => Promise<unknown>;
}

/** Alternates between listening and pausing until the time is over, or something ends it early. */
export class Listening {
  readonly heard: Listener;
  /** How long MONITOR was read in each second, ms. */
  readonly listened: number[] = [];
  /** Lines that the server wrote and nothing read; null where their number is unknown. */
  private unread: number | null = 0;
  private slice = { commands: 0 as number | null, lines: 0, ms: 0, spent: 0 };
  /** The cost of the last slice, ms per ms, because a grown load must not be read as if it were quiet. */
  private rate = 0;
  /** The counters right after MONITOR was closed because of its cost. */
  private afterCut: Promise<Reading> | null = null;
  private readAt = 0;
  private seenMs = 0;

  constructor(private readonly parts: Parts) {
    const { budget, elapsed, readMeter } = parts;
    this.heard = parts.listen((ahead) => {
      if (this.spentMs + costOf(ahead, ahead * USUAL_BYTES) < budget.limitMs(elapsed())) return true;
      this.afterCut = readMeter(true);
      // Its error is thrown where it is awaited.
      this.afterCut.catch(() => undefined);
      return false;
    });
  }

  /** By calls and bytes, ms; null where unknown. */
  get costMs(): number | null {
    return this.unread === null ? null : this.spentMs;
  }

  /** A lower bound. */
  private get spentMs(): number {
    const { lines, bytes } = this.heard;
    const unread = this.unread ?? 0;
    return costOf(lines + unread, bytes + unread * (lines > 0 ? bytes / lines : USUAL_BYTES));
  }

  async untilEnd(): Promise<Ending> {
    const { heard } = this;
    const { elapsed, seconds, signal } = this.parts;
    try {
      while (elapsed() < seconds * SECOND) {
        const ending = await this.step();
        if (ending) return ending;
        await pause(Math.min(PROBE_MS, Math.max(1, seconds * SECOND - elapsed())), signal);
      }
      return COMPLETE;
    } finally {
      await this.leave().catch(() => heard.close());
      this.countSecond();
    }
  }

  private async step(): Promise<Ending | null> {
    const { heard } = this;
    const { budget, guard, measure, readMeter, elapsed, signal, onStep } = this.parts;
    if (signal.aborted) return STOPPED;
    if (heard.isBroken) return CLOSED;
    if (this.afterCut || (heard.isOpen && this.spentMs >= budget.plannedMs(elapsed()))) await this.leave();
    if (this.unread === null || this.spentMs >= budget.totalMs) return SPENT;
    if (!heard.isOpen && budget.plannedMs(elapsed()) - this.spentMs >= this.rate * MIN_SLICE_MS)
      await this.enter();
    this.countSecond();
    await onStep(elapsed());
    if (!heard.isOpen) return null;
    const cut = guard.add(await measure());
    if (cut) return cut;
    if (heard.isBehind()) return BEHIND;
    if (elapsed() - this.readAt < SECOND) return null;
    this.readAt = elapsed();
    await readMeter(true);
    return ((await heard.waitingBytes()) ?? 0) > MAX_WAITING_BYTES ? BUFFER : null;
  }

  private async enter(): Promise<void> {
    const { heard } = this;
    const { commands } = await this.parts.readMeter(false);
    this.slice = { commands, lines: heard.lines, ms: heard.listenedMs, spent: this.spentMs };
    await heard.open(this.parts.clock);
  }

  private async leave(): Promise<void> {
    const { heard, slice } = this;
    if (!heard.isOpen && !this.afterCut) return;
    await heard.pause();
    const { commands } = await (this.afterCut ?? this.parts.readMeter(true));
    this.afterCut = null;
    if (!heard.isWhole && this.unread !== null) {
      const isKnown = commands !== null && slice.commands !== null && !heard.isLongCut;
      const ran = isKnown ? commands - slice.commands! : null;
      this.unread = ran === null ? null : this.unread + Math.max(0, ran - (heard.lines - slice.lines));
    }
    this.rate = (this.spentMs - slice.spent) / Math.max(1, heard.listenedMs - slice.ms);
  }

  /** Adds the time listened since the last step to the current second. */
  private countSecond(): void {
    const { heard, listened } = this;
    const second = Math.floor(this.parts.elapsed() / SECOND);
    listened[second] = (listened[second] ?? 0) + heard.listenedMs - this.seenMs;
    this.seenMs = heard.listenedMs;
  }
}
