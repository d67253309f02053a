import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';

/** How gently a scan goes (configuration.md, `scan`). */
export interface ScanLimits {
  /** Keys asked for in one SCAN call. */
  chunk: number;
  /** Pause between calls, ms. */
  pauseMs: number;
  /** Added round-trip latency, ms, from which the scan backs off. */
  maxAddedLatencyMs: number;
}

/** The budget as the interface shows it. */
export interface BudgetState extends ScanLimits {
  /** The pause in use now, ms: above `pauseMs` while backed off. */
  currentPauseMs: number;
  latencyMs: number | null;
  backedOff: boolean;
}

const CEILING_MS = 250;
/** While answers are late the scan rests four times as long as they are late by. */
const REST = 4;
/** Round trips looked at: one slow answer in the middle says nothing, most of them being slow does. */
const RECENT = 7;

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Spends a scan's time on the server. The quickest calls set the baseline latency; while calls take more than
 * `maxAddedLatencyMs` longer the pause grows with what is added (up to 250 ms), and it is short again when the
 * server recovers. The baseline rises by a thousandth a call, for servers that become slower for good.
 */
export class ScanBudget {
  readonly limits: ScanLimits;
  private baseline: number | null = null;
  private readonly recent: number[] = [];
  private pause: number;

  constructor(limits: ScanLimits) {
    this.limits = limits;
    this.pause = limits.pauseMs;
  }

  /** Notes the round trip of one chunk and waits as long as the budget asks. */
  async spend(roundTripMs: number, signal?: AbortSignal): Promise<void> {
    this.note(roundTripMs);
    if (this.pause > 0) await sleep(this.pause, undefined, { signal }).catch(() => undefined);
  }

  private note(roundTripMs: number): void {
    this.recent.push(roundTripMs);
    if (this.recent.length > RECENT) this.recent.shift();
    this.baseline = this.baseline === null ? roundTripMs : Math.min(this.baseline * 1.001, roundTripMs);
    const added = medianOf(this.recent) - this.baseline;
    const { pauseMs, maxAddedLatencyMs } = this.limits;
    const late = added > maxAddedLatencyMs;
    this.pause = late ? Math.max(pauseMs, Math.min(CEILING_MS, added * REST)) : pauseMs;
  }

  state(): BudgetState {
    return {
      ...this.limits,
      currentPauseMs: Math.round(this.pause * 10) / 10,
      latencyMs: this.recent.length === 0 ? null : Math.round(medianOf(this.recent) * 100) / 100,
      backedOff: this.pause > this.limits.pauseMs,
    };
  }
}
