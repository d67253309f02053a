import 'server-only';
import { parseInfo } from './info';
import { timeRoundTrip } from './round-trip';

const EVERY_MS = 1000;
/** The shares of the server's main thread used by others up to which it counts as idle, and from which as busy. */
const [IDLE, BUSY] = [0.02, 0.2];
/** The fraction of the pause that remains while the server is idle. */
const MIN_PAUSE = 0.1;

/** Reads INFO's section about processor time. */
export type ReadCpu = () => Promise<string>;

/**
 * Seconds the main thread has worked; for the complete process where the server does not report it separately (before
 * 6.2).
 */
const workedOf = (text: string): number | null => {
  const fields = parseInfo(text);
  const sum = (suffix: string) =>
    Number(fields.get(`used_cpu_user${suffix}`)) + Number(fields.get(`used_cpu_sys${suffix}`));
  const seconds = [sum('_main_thread'), sum('')].find((value) => !Number.isNaN(value));
  return seconds ?? null;
};

/** How much of a server's main thread others use. Read once a second during walks. */
export class ServerLoad {
  /** The fastest INFO, ms. */
  quickestMs = Number.POSITIVE_INFINITY;
  private before: { at: number; worked: number; ownMs: number } | null = null;
  private askedAt = Number.NEGATIVE_INFINITY;
  private share: number | null = null;

  constructor(private readonly readCpu: ReadCpu) {}

  /** `ownMs`: the server's time for our own calls so far. Where INFO is refused, the server counts as busy. */
  async refresh(ownMs: number): Promise<void> {
    const at = performance.now();
    if (at - this.askedAt < EVERY_MS) return;
    const idle = at - this.askedAt > 3 * EVERY_MS;
    this.askedAt = at;
    const asked = await timeRoundTrip(this.readCpu).catch(() => null);
    const worked = asked && workedOf(asked.value);
    const { before } = this;
    this.before = worked === null ? null : { at, worked, ownMs };
    this.share = null;
    if (asked) this.quickestMs = Math.min(this.quickestMs * 1.01, asked.most);
    if (worked === null || !before || idle) return;
    const othersMs = (worked - before.worked) * 1000 - (ownMs - before.ownMs);
    this.share = Math.max(0, othersMs) / (at - before.at);
  }

  /** The share of the main thread that others use, 0–1; null where unknown. */
  get others(): number | null {
    return this.share;
  }

  /** The fraction of the full pause to apply. */
  pauseShare(): number {
    if (this.share === null) return 1;
    return Math.min(1, Math.max(MIN_PAUSE, (this.share - IDLE) / (BUSY - IDLE)));
  }
}
