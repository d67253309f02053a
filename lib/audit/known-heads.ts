import 'server-only';
import { z } from 'zod';

/** A known head, and when it was read (epoch ms). */
export const knownHead = z.object({ digest: z.string(), seq: z.number(), at: z.number() });
export type KnownHead = z.output<typeof knownHead>;
/** The end of the chain. */
export type Head = Omit<KnownHead, 'at'>;

const MAX_KNOWN = 1000;

/**
 * The heads of the log that this process wrote or read. An intact log contains each of them until retention deletes it,
 * so a head that goes back or is not on the chain proves that entries were removed.
 */
export class KnownHeads {
  private heads: KnownHead[] = [];
  private back: { known: KnownHead; seq: number } | null = null;
  /** Called once when the head is found to have gone back. */
  onBack: () => void = () => undefined;

  get newest(): KnownHead | null {
    return this.heads.at(-1) ?? null;
  }

  get all(): readonly KnownHead[] {
    return this.heads;
  }

  /** What is wrong with the head; null for a sound one. */
  get problem(): string | null {
    return this.back
      ? `the head of the log went back from entry ${this.back.known.seq} to ${this.back.seq}: the newest entries were removed`
      : null;
  }

  /**
   * Compares a head that was read with `before`, the newest one known when the read began (replies may overtake each
   * other), and adds it unless a failover of the store may lose it.
   */
  meet(
    head: Head,
    before: KnownHead | null,
    { now = Date.now(), mayBeLost = false }: { now?: number; mayBeLost?: boolean } = {},
  ): void {
    if (before && (head.seq < before.seq || (head.seq === before.seq && head.digest !== before.digest))) {
      const first = this.back === null;
      this.back ??= { known: before, seq: head.seq };
      if (first) this.onBack();
    } else if (!mayBeLost && head.seq > (this.newest?.seq ?? 0)) this.learn([{ ...head, at: now }]);
  }

  /** Adds heads from other sources, in their order. */
  learn(heads: readonly KnownHead[]): void {
    this.heads = [...this.heads, ...heads].slice(-MAX_KNOWN);
  }

  /** Drops the heads known by then, because their problem was acknowledged. */
  forget(until: number): void {
    this.heads = this.heads.filter(({ at }) => at > until);
    if (this.back && this.back.known.at <= until) this.back = null;
  }
}
