import 'server-only';
import { mayTouchSensitive } from '@/lib/caches/guarded';
import { storeUndo } from '@/lib/command/undo-record';
import type { JobContext } from '@/lib/jobs/define';
import { deleteSnapshots, type SnapshotEntry, Snapshots } from '@/lib/snapshots/snapshots';
import type { KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';
import type { FixCounts } from './fix-counts';

/** By what a job decides: the same rule and policy as the report. */
export interface Basis {
  readonly rule: FixableRule;
  readonly policy: Policy;
  /** What is wrong with a key now; null where the rule is kept, switched off or about other keys. */
  faultOf(facts: KeyFacts): string | null;
  isWaived(facts: KeyFacts): boolean;
}

/** A key that violates the rule. */
export interface Fault {
  readonly facts: KeyFacts;
  readonly detail: string;
}

/** What undo restores: keys, former expiries, former names, or what was trimmed. */
export type UndoneThing = 'keys' | 'ttls' | 'renames' | 'trims';

/** What undo needs, stored before or with each change. */
export class StoredUndo {
  until: number | null = null;
  private readonly kept: Snapshots;
  private readonly ctx: JobContext;
  private readonly of: UndoneThing;
  private readonly label: string;

  constructor(ctx: JobContext, of: UndoneThing, label: string) {
    this.ctx = ctx;
    this.of = of;
    this.label = label;
    this.kept = new Snapshots(ctx.store, ctx.auditId);
  }

  async add(entries: readonly SnapshotEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const { ctx, kept, of, label } = this;
    if (kept.keys === 0) {
      const record = { of, auditId: ctx.auditId, label, sensitive: mayTouchSensitive(ctx) };
      this.until = await storeUndo(ctx.store, ctx.auditId, record);
    }
    await kept.add(await kept.prepare(entries), entries.length);
  }

  /** Removes what is left of an undo without copies. */
  async finish(): Promise<void> {
    if (this.kept.keys === 0) await deleteSnapshots(this.ctx.store, this.ctx.auditId);
  }
}

/** What fixing a batch works with. */
export interface Fixing {
  readonly ctx: JobContext;
  readonly basis: Basis;
  readonly dryRun: boolean;
  readonly counts: FixCounts;
  /** null for a preview, or without undo. */
  readonly undo: Pick<StoredUndo, 'add'> | null;
  /** Makes a call for this many keys, one unless given, at the pace of the job. */
  throttled<T>(call: () => Promise<T>, keys?: number): Promise<T>;
}

/** Fixes keys of one node, and counts each of them. */
export type FixBatch = (fixing: Fixing, faults: readonly Fault[]) => Promise<void>;
