import 'server-only';
import type { Key } from '@/lib/redis/commands';

export const MAX_SAMPLES = 20;
/** Longer names are no examples. */
const MAX_SAMPLE_BYTES = 16_384;

/** A counted violation: its name is converted for display later. */
export interface Found {
  readonly key: Key;
  readonly family: string | null;
  readonly detail: string;
  readonly isSettled: boolean;
}

/** Violations of one rule in one walk. */
export class RuleCounts {
  of = 0;
  /** Keys that could not be checked, because a deciding fact was refused. */
  unread = 0;
  readonly families = new Map<string | null, number>();
  private readonly found: Found[] = [];

  /** Copies the key where it becomes a sample; null where its name was not retained. */
  add({ key, ...one }: Omit<Found, 'key'> & { key: Key | null }, keys = 1): void {
    const before = this.families.get(one.family) ?? 0;
    this.families.set(one.family, before + keys);
    if (key === null || key.length > MAX_SAMPLE_BYTES) return;
    const copy = () => ({ ...one, key: Buffer.from(key) });
    if (this.found.length < MAX_SAMPLES) this.found.push(copy());
    else if (before === 0) {
      // Each family has a sample, as long as there is room.
      const at = this.found.findIndex(
        ({ family }, i) => this.found.findIndex((other) => other.family === family) < i,
      );
      if (at >= 0) this.found[at] = copy();
    }
  }

  get sample(): readonly Found[] {
    return this.found;
  }

  get count(): number {
    return [...this.families.values()].reduce((sum, keys) => sum + keys, 0);
  }
}
