import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { identify } from '@/lib/key-values/identity';
import type { Key } from '@/lib/redis/commands';
import { iso } from '@/lib/time';
import type { FixableRule, FixResult } from '../schema';

const MAX_SAMPLE = 20;

/** Counts the outcome for each key that violates the rule. */
export class FixCounts {
  fixed = 0;
  conflicts = 0;
  vanished = 0;
  remaining: number | null = null;
  undoUntil: number | null = null;
  private readonly reasons = new Map<string, number>();
  private readonly sample: { key: Key; detail: string }[] = [];

  constructor(
    private readonly rule: FixableRule,
    private readonly dryRun: boolean,
  ) {}

  get skipped(): number {
    return [...this.reasons.values()].reduce((sum, keys) => sum + keys, 0);
  }

  get matched(): number {
    return this.fixed + this.conflicts + this.skipped + this.vanished;
  }

  skip(reason: string, keys = 1): void {
    if (keys > 0) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + keys);
  }

  /** The walk restarted: it meets skipped keys and conflicts again, but not fixed or vanished keys. */
  restarted(): void {
    this.reasons.clear();
    this.conflicts = 0;
    if (!this.dryRun) return;
    this.fixed = 0;
    this.vanished = 0;
    this.sample.length = 0;
  }

  show(key: Key, detail: string): void {
    if (this.sample.length < MAX_SAMPLE) this.sample.push({ key: Buffer.from(key), detail });
  }

  /** The result in the job's record: names masked, with ids that only this console can open. */
  async result(ctx: ReadContext): Promise<FixResult> {
    const keys = this.sample.map(({ key }) => key);
    const shown = keys.length > 0 ? await identify(ctx, keys).catch(() => null) : [];
    await rememberLongKeys(ctx, keys);
    return {
      rule: this.rule,
      dryRun: this.dryRun,
      matched: this.matched,
      fixed: this.fixed,
      conflicts: this.conflicts,
      skipped: this.skipped,
      vanished: this.vanished,
      remaining: this.remaining,
      // Without the server names cannot be masked reliably, so none is shown.
      sample: (shown ?? []).map((each, i) => ({
        key: each.shown,
        keyId: keyIdOf(ctx, each.key),
        detail: this.sample[i]!.detail,
      })),
      skippedBecause: [...this.reasons].map(([reason, count]) => ({ reason, keys: count })),
      undoUntil: this.undoUntil === null ? null : iso(this.undoUntil),
    };
  }
}
