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

/**
 * Spends a scan's time on the server. The first calls set the baseline latency; while a call takes more than
 * `maxAddedLatencyMs` above it the pause doubles (up to 250 ms), and it halves again when the server recovers.
 */
export class ScanBudget {
  readonly limits: ScanLimits;
  private baseline: number | null = null;
  private latency: number | null = null;
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
    this.latency = this.latency === null ? roundTripMs : this.latency * 0.7 + roundTripMs * 0.3;
    this.baseline = this.baseline === null ? roundTripMs : Math.min(this.baseline * 1.001, roundTripMs);
    const added = this.latency - this.baseline;
    if (added > this.limits.maxAddedLatencyMs) this.pause = Math.min(CEILING_MS, Math.max(1, this.pause) * 2);
    else this.pause = Math.max(this.limits.pauseMs, this.pause / 2);
  }

  state(): BudgetState {
    return {
      ...this.limits,
      currentPauseMs: Math.round(this.pause * 10) / 10,
      latencyMs: this.latency === null ? null : Math.round(this.latency * 100) / 100,
      backedOff: this.pause > this.limits.pauseMs,
    };
  }
}
