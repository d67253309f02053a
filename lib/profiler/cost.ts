import 'server-only';
import type { Reading } from '@/lib/redis/server-counters';
import { SECOND } from '@/lib/time';
import { MAX_SHARE } from './schema';

/**
 * What a line of MONITOR costs the server's main thread at most, µs, as `npm run bench profiler` measures: a busy server,
 * which writes many lines at once, needs less than half of it. Long values are written out in full.
 */
const MICROS_PER_CALL = 9;
const MICROS_PER_BYTE = 0.01;
/** Bytes of a usual line. */
export const USUAL_BYTES = 120;
/** Room for a load that grows, and what is spent between two probes. */
const HEADROOM = 2;
const RESERVE = 0.8;
const MIN_SHARE = 0.02;
/** What may be spent ahead, as the time that pays for it. */
const AHEAD_MS = 1000;
/** Loads that differ by more are not compared; below so many a ms, they are quiet. */
const MAX_DIFFERENCE = 0.3;
const QUIET = { commands: 0.2, inCommands: 0.005 };
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

const sums = () => ({ ms: 0, worked: 0, commands: 0, inCommands: 0 });
type Sums = ReturnType<typeof sums>;

/** Whether the load was alike: else what the server worked more says nothing about MONITOR. */
const areAlike = (beside: Sums, within: Sums): boolean =>
  (['commands', 'inCommands'] as const).every((what) => {
    const [a, b] = [beside[what] / beside.ms, within[what] / within.ms];
    return Math.abs(a - b) <= Math.max(MAX_DIFFERENCE * Math.max(a, b), QUIET[what]);
  });

/**
 * What the server's main thread worked more while MONITOR was read. It is reported, and limits nothing: any change of the
 * load looks the same.
 */
export class CostMeter {
  private readonly beside = sums();
  private readonly within = sums();
  private isMeasured = true;
  private before: Reading | null = null;

  /** `listened`: whether MONITOR was read since the last reading. */
  read(reading: Reading, listened: boolean): void {
    const { before } = this;
    this.before = reading;
    if (!before) return;
    const into = listened ? this.within : this.beside;
    into.ms += reading.at - before.at;
    for (const what of ['worked', 'commands', 'inCommands'] as const) {
      const [was, is] = [before[what], reading[what]];
      // Refused, or the statistics were reset.
      if (was === null || is === null || is < was) this.isMeasured = false;
      else into[what] += is - was;
    }
  }

  /** Beyond its usual time; null where that is not known, or the load changed meanwhile. */
  get measuredMs(): number | null {
    const { beside, within } = this;
    if (!this.isMeasured || beside.ms < MIN_COMPARED_MS || within.ms < MIN_COMPARED_MS) return null;
    if (!areAlike(beside, within)) return null;
    return Math.max(0, within.worked - (within.ms * beside.worked) / beside.ms);
  }
}

/** What may be spent of a share of the server's time, ms. */
export class CostBudget {
  private readonly share: number;
  readonly totalMs: number;

  constructor(share: number, seconds: number) {
    this.share = share;
    this.totalMs = share * seconds * SECOND;
  }

  /** By now. MONITOR is closed at once when more is spent. */
  limitMs(elapsedMs: number): number {
    return Math.min(this.share * (elapsedMs + AHEAD_MS), this.totalMs);
  }

  /** By now, in the usual way: it leaves something for what is on its way. */
  plannedMs(elapsedMs: number): number {
    return RESERVE * this.limitMs(elapsedMs);
  }
}
