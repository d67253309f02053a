import 'server-only';
import type { Part } from '@/lib/redis/scan-nodes';

/** COUNT is a hint: a scan may examine this share more keys than requested. */
const COUNT_ERROR = 0.01;
/** Half width of a 95 % interval, in standard deviations. */
const WIDTH = 1.96;

/**
 * The number of keys found in the scanned share of each primary. SCAN's order is independent of names, so a part of a
 * primary's keys is a random sample of them, whereas a cursor reveals no share.
 */
export class Coverage {
  private readonly parts = new Map<number, Part & { found: number }>();

  add(part: Part, found: number): void {
    const before = this.parts.get(part.index)?.found ?? 0;
    this.parts.set(part.index, { ...part, found: before + found });
  }

  /** The estimated number on all primaries, with half the width of the 95 % interval (Poisson, per primary). */
  estimate(): { keys: number; error: number } {
    let [keys, variance, known] = [0, 0, 0];
    for (const { found, share, weight } of this.parts.values()) {
      keys += found / share;
      // Plus two, because none found does not mean that none exist.
      variance += ((found + 2) * (1 - share)) / share ** 2;
      known += weight;
    }
    // A primary without chunks so far counts like the others.
    const times = known > 0 ? 1 / Math.min(known, 1) : 1;
    return {
      keys: Math.round(keys * times),
      error: Math.ceil((WIDTH * Math.sqrt(variance) + COUNT_ERROR * keys) * times),
    };
  }
}
