import 'server-only';
import type { Replication } from './replication';

/** How long a replica that left may be on its way to become the primary. */
const MAX_GONE_MS = 30_000;

/** The replicas of a primary that must confirm changes: all that are attached, and those that left a short time ago. */
export class WantedReplicas {
  private addresses: ReadonlySet<string>;
  private leftAt: number | null = null;

  constructor(addresses: Iterable<string> = []) {
    this.addresses = new Set(addresses);
  }

  get size(): number {
    return this.addresses.size;
  }

  /** Whether one is missing, so that what it did not confirm is unconfirmed: it may be the next primary. */
  get hasLeft(): boolean {
    return this.leftAt !== null;
  }

  /** Whether all have confirmed the stream up to an offset. */
  haveReached(offset: number, replicas: Replication['replicas']): boolean {
    return [...this.addresses].every((address) => (replicas.get(address) ?? -1) >= offset);
  }

  /**
   * Compares them with those that are attached now. `isGone`: one that was missing counts as gone, after half a minute, or
   * immediately where no replica can follow the primary (`mayMove`).
   */
  compare(attached: Replication['replicas'], { mayMove }: { mayMove: boolean }): { isGone: boolean } {
    const isMissing = [...this.addresses].some((address) => !attached.has(address));
    if (isMissing) {
      this.leftAt ??= performance.now();
      if (mayMove && performance.now() - this.leftAt < MAX_GONE_MS) return { isGone: false };
    }
    this.addresses = new Set(attached.keys());
    this.leftAt = null;
    return { isGone: isMissing };
  }
}
