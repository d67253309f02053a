import 'server-only';
import type { Reading } from '@/lib/redis/server-counters';
import { SECOND } from '@/lib/time';
import { MAX_SHARE } from './schema';

/**
 * The maximum cost of a line of MONITOR on the server's main thread, µs, as `npm run bench profiler` measures it: a
 * busy server, which writes many lines at once, needs less than half of it. Long values are written in full.
 */
const MICROS_PER_CALL = 9;
const MICROS_PER_BYTE = 0.01;
/** Bytes of a typical line. */
export const USUAL_BYTES = 120;
/** Reserve for a growing load, and for the cost between two probes. */
const HEADROOM = 2;
const RESERVE = 0.8;
const MIN_SHARE = 0.02;
/** The cost that may be spent in advance, as the time that pays for it. */
const AHEAD_MS = 1000;
/** Loads that differ by more are not compared; below these values per ms, loads count as quiet. */
const MAX_DIFFERENCE = 0.3;
const QUIET = { commands: 0.2, inCommands: 0.005 };
/** Shorter comparisons are meaningless: the server measures its own work in steps of some milliseconds. */
const MIN_COMPARED_MS = 250;

/** The cost of calls and bytes, ms of the server's main thread. */
export const costOf = (calls: number, bytes: number): number =>
  (calls * MICROS_PER_CALL + bytes * MICROS_PER_BYTE) / 1000;

/** The share that is stated before a profile begins, and never exceeded. Null: the load is unknown. */
export const statedShareOf = (perSecond: number | null): number =>
  perSecond === null
    ? MAX_SHARE
    : Math.min(
        MAX_SHARE,
        Math.max(MIN_SHARE, (HEADROOM * costOf(perSecond, perSecond * USUAL_BYTES)) / 1000),
      );

/** The share of the time during which MONITOR can be read within a cost share. */
export const expectedCoverageOf = (perSecond: number | null, share: number): number =>
  Math.min(
    1,
    (RESERVE * share * 1000) / Math.max(costOf(perSecond ?? 0, (perSecond ?? 0) * USUAL_BYTES), 0.001),
  );

const sums = () => ({ ms: 0, worked: 0, commands: 0, inCommands: 0 });
type Sums = ReturnType<typeof sums>;

/** Whether the two loads were alike: otherwise additional work of the server is not MONITOR's. */
const areAlike = (beside: Sums, within: Sums): boolean =>
  (['commands', 'inCommands'] as const).every((what) => {
    const [a, b] = [beside[what] / beside.ms, within[what] / within.ms];
    return Math.abs(a - b) <= Math.max(MAX_DIFFERENCE * Math.max(a, b), QUIET[what]);
  });

/**
 * How much more the server's main thread worked while MONITOR was read. The result is reported, but limits nothing:
 * any change of the load looks the same.
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
      // INFO was refused, or the statistics were reset.
      if (was === null || is === null || is < was) this.isMeasured = false;
      else into[what] += is - was;
    }
  }

  /** The time beyond its usual work; null where unknown, or where the load changed meanwhile. */
  get measuredMs(): number | null {
    const { beside, within } = this;
    if (!this.isMeasured || beside.ms < MIN_COMPARED_MS || within.ms < MIN_COMPARED_MS) return null;
    if (!areAlike(beside, within)) return null;
    return Math.max(0, within.worked - (within.ms * beside.worked) / beside.ms);
  }
}

/** How much of the server's time may be spent, ms. */
export class CostBudget {
  private readonly share: number;
  readonly totalMs: number;

  constructor(share: number, seconds: number) {
    this.share = share;
    this.totalMs = share * seconds * SECOND;
  }

  /** The limit so far. MONITOR is closed immediately when it is exceeded. */
  limitMs(elapsedMs: number): number {
    return Math.min(this.share * (elapsedMs + AHEAD_MS), this.totalMs);
  }

  /** The planned cost so far: it leaves a reserve for output on its way. */
  plannedMs(elapsedMs: number): number {
    return RESERVE * this.limitMs(elapsedMs);
  }
}
