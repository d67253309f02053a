import 'server-only';
import type { Replication } from './replication';

/** A replica that left may become the primary within this time. */
const MAX_GONE_MS = 30_000;

/** The replicas that must confirm changes: all that are attached to the primary, and those that left recently. */
export class WantedReplicas {
  private addresses: ReadonlySet<string>;
  private leftAt: number | null = null;

  constructor(addresses: Iterable<string> = []) {
    this.addresses = new Set(addresses);
  }

  get size(): number {
    return this.addresses.size;
  }

  /** Whether a replica is missing: it may be the next primary, so what it did not confirm is unconfirmed. */
  get hasLeft(): boolean {
    return this.leftAt !== null;
  }

  /** Whether all replicas have confirmed the stream up to an offset. */
  haveReached(offset: number, replicas: Replication['replicas']): boolean {
    return [...this.addresses].every((address) => (replicas.get(address) ?? -1) >= offset);
  }

  /**
   * Compares them with the replicas attached now. `isGone`: a missing replica is given up, after half a minute, or
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
