import 'server-only';
import { storeUndo } from '@/lib/command/undo-record';
import { mayTouchSensitive } from '@/lib/families/guarded';
import type { JobContext } from '@/lib/jobs/define';
import type { Key } from '@/lib/redis/commands';
import { refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { deleteSnapshots, type SnapshotEntry, Snapshots } from '@/lib/snapshots/snapshots';
import type { KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';
import type { FixCounts } from './fix-counts';

/** What a job decides by: the rule and policy of the report. */
export interface Basis {
  readonly rule: FixableRule;
  readonly policy: Policy;
  /** What is wrong with a key now; null where it keeps the rule, or the rule is off or does not apply. */
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

/** The server may forbid RESTORE, without which these cannot be undone. */
const NEED_RESTORE: ReadonlySet<UndoneThing> = new Set<UndoneThing>(['keys', 'trims']);
const NOTHING = Buffer.alloc(0);

/** The data for undo, stored before each change. */
export class StoredUndo {
  /** When the record expires, epoch ms; null while nothing is stored. */
  private recordUntil: number | null = null;
  /** After this time nothing is left to undo, epoch ms. */
  private usefulUntil = 0;
  private readonly kept: Snapshots;

  constructor(
    private readonly ctx: JobContext,
    private readonly of: UndoneThing,
    private readonly label: string,
  ) {
    this.kept = new Snapshots(ctx.store, ctx.auditId);
  }

  /** Until when undo has an effect, epoch ms; null where nothing was stored. */
  get until(): number | null {
    return this.recordUntil === null ? null : Math.min(this.recordUntil, this.usefulUntil);
  }

  /** Throws 409 above the limits and 503 when the store cannot take it: the caller must then change nothing. */
  async add(entries: readonly SnapshotEntry[], usefulUntil = Infinity): Promise<void> {
    if (entries.length === 0) return;
    const { ctx, kept, of, label } = this;
    const isFirst = this.recordUntil === null;
    if (isFirst && NEED_RESTORE.has(of)) await refuseUnlessRestorable(ctx.writer, entries[0]!.key);
    await kept.add(await kept.prepare(entries), entries.length);
    this.usefulUntil = Math.max(this.usefulUntil, usefulUntil);
    if (!isFirst) return;
    const record = { of, auditId: ctx.auditId, label, sensitive: mayTouchSensitive(ctx) };
    this.recordUntil = await storeUndo(ctx.store, ctx.auditId, record);
  }

  /** Excludes keys from undo that were not changed after all. */
  async void(keys: readonly Key[]): Promise<void> {
    if (keys.length === 0) return;
    const entries = keys.map((key): SnapshotEntry => ({ key, mark: 'void', expires: -1, value: NOTHING }));
    await this.kept.add(await this.kept.prepare(entries), 0);
  }

  /** Removes the record of an undo without copies. */
  async finish(): Promise<void> {
    if (this.kept.keys === 0) await deleteSnapshots(this.ctx.store, this.ctx.auditId);
  }
}

/** The inputs for fixing a batch. */
export interface Fixing {
  readonly ctx: JobContext;
  readonly basis: Basis;
  readonly dryRun: boolean;
  readonly counts: FixCounts;
  /** null for a preview, or without undo. */
  readonly undo: Pick<StoredUndo, 'add' | 'void'> | null;
  /** Whether keys that cannot be stored for undo are fixed, too. Also applies to a preview. */
  readonly withoutUndo: boolean;
  /** Whether no other key of this walk takes this name. */
  isNewName(name: Key): boolean;
  /** Makes a call for this many keys (default 1) at the pace of the job. */
  throttled<T>(call: () => Promise<T>, keys?: number): Promise<T>;
}

/** Fixes keys of one node and counts each of them. */
export type FixBatch = (fixing: Fixing, faults: readonly Fault[]) => Promise<void>;
