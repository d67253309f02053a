import 'server-only';
import type { Reading } from '@/lib/redis/server-counters';
import { MAX_SHARE } from './schema';

/**
 * What a line of MONITOR costs the server's main thread at most, µs: `npm run bench profiler` measures less. Long values
 * are written out in full.
 */
const MICROS_PER_CALL = 4;
const MICROS_PER_BYTE = 0.01;
/** Bytes of a usual line. */
const USUAL_BYTES = 120;
/** Room for a load that grows, and what is spent between two probes. */
const HEADROOM = 2;
const RESERVE = 0.8;
const MIN_SHARE = 0.02;
/** What may be spent ahead, as the time that pays for it. */
const AHEAD_MS = 1000;
/** A shorter comparison says nothing: the server's clock of its own work has steps of some milliseconds. */
const MIN_COMPARED_MS = 250;

/** By calls and bytes, ms of the server's main thread. */
export const costOf = (calls: number, bytes: number): number =>
  (calls * MICROS_PER_CALL + bytes * MICROS_PER_BYTE) / 1000;

/** What is stated before a profile begins: it takes no more of the server's time. Null: the load is not known. */
export const statedShareOf = (perSecond: number | null): number =>
  perSecond === null
    ? MAX_SHARE
    : Math.min(
        MAX_SHARE,
        Math.max(MIN_SHARE, (HEADROOM * costOf(perSecond, perSecond * USUAL_BYTES)) / 1000),
      );

/** For how much of the time MONITOR can be read within a share. */
export const expectedCoverageOf = (perSecond: number | null, share: number): number =>
  Math.min(
    1,
    (RESERVE * share * 1000) / Math.max(costOf(perSecond ?? 0, (perSecond ?? 0) * USUAL_BYTES), 0.001),
  );

const sums = () => ({ ms: 0, worked: 0, commands: 0 });

/** Holds a profile to its share of the server's time, by estimate or by measurement, whichever is more. */
export class CostMeter {
  private readonly share: number;
  private readonly totalMs: number;
  private readonly beside = sums();
  private readonly within = sums();
  private isMeasured = true;
  private before: Reading | null = null;
  private estimatedAtReading = 0;

  constructor(share: number, totalMs: number) {
    this.share = share;
    this.totalMs = totalMs;
  }

  /** `listened`: whether MONITOR was read since the last reading; `estimated`: cost by estimate so far, ms. */
  read(reading: Reading, listened: boolean, estimated: number): void {
    const { before } = this;
    this.before = reading;
    this.estimatedAtReading = estimated;
    if (!before) return;
    if ([before.worked, before.commands, reading.worked, reading.commands].includes(null)) {
      this.isMeasured = false;
      return;
    }
    const into = listened ? this.within : this.beside;
    into.ms += reading.at - before.at;
    into.worked += reading.worked! - before.worked!;
    into.commands += reading.commands! - before.commands!;
  }

  /** What the main thread worked beyond its usual time for as many commands; null where that is not known. */
  get measuredMs(): number | null {
    const { beside, within } = this;
    if (!this.isMeasured || beside.ms < MIN_COMPARED_MS || within.ms < MIN_COMPARED_MS) return null;
    // A quiet server works by time, for its timers and our probes, and a busy one by commands.
    const usual = Math.max(
      (within.ms * beside.worked) / beside.ms,
      beside.commands > 0 ? (within.commands * beside.worked) / beside.commands : 0,
    );
    return Math.max(0, within.worked - usual);
  }

  spentMs(estimated: number): number {
    const measured = this.measuredMs;
    if (measured === null) return estimated;
    return Math.max(estimated, measured + estimated - this.estimatedAtReading);
  }

  /** What may have been spent by now. */
  allowedMs(elapsedMs: number): number {
    return RESERVE * this.share * Math.min(elapsedMs + AHEAD_MS, this.totalMs);
  }
}
