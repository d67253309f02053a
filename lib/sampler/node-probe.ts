import 'server-only';
import { type Bucket, ratesOf } from '@/lib/history/bucket';
import type { NodeFigures } from '@/lib/history/node-figures';
import { isNotPermitted } from '@/lib/redis/failure';
import { readInfo } from '@/lib/redis/node-info';
import type { Node } from '@/lib/redis/topology';
import { MINUTE, SECOND } from '@/lib/time';
import { type CarryOver, delta, type Reading, serverChange } from './delta';
import { addTotals, type OthersTraffic } from './own-traffic';

/** A longer pause between two readings becomes a gap, not one long span. */
const MAX_SPAN_MS = 15 * SECOND;
/** The time that a node's figures cover, as on the overview. */
const FIGURES_MS = MINUTE;

const NO_CARRY_OVER: CarryOver = { hits: 0, misses: 0 };

/** An event of a node. A failover is `moved`, `demoted` or `promoted`. */
export type NodeEvent =
  | ('restart' | 'moved' | 'demoted' | 'promoted')
  | ('counters-reset' | 'outage' | 'recovered');

export interface NodeSample {
  events: NodeEvent[];
  /** null where it did not answer. */
  reading: Reading | null;
  /** What the applications did since the previous reading; null where counting starts again. */
  bucket: Bucket | null;
  /** Why it did not answer. */
  error: unknown;
}

/** Samples one node: its counters are separate from those of other nodes, and of another process in its place. */
export class NodeProbe {
  private before: Reading | null = null;
  /** The last reading, including one from before an outage. */
  private last: Reading | null = null;
  private carryOver = NO_CARRY_OVER;
  private isOut = false;
  /** The first sign of the last marked failover, until a primary answers. */
  private sign: 'role' | 'process' | null = null;
  private recent: Bucket[] = [];

  constructor(
    private readonly connection: string,
    private readonly node: Node,
  ) {}

  async sample(others: OthersTraffic, isFirst: boolean, clock: () => number): Promise<NodeSample> {
    const { node } = this;
    try {
      const reading = await node.own.whileIdle(async () => {
        const info = await readInfo(this.connection, node);
        const own = addTotals(node.own.snapshot(), others.of(info.runId, isFirst));
        return { at: clock(), address: node.id, info, own };
      });
      node.own.commands += 1;
      return this.take(reading);
    } catch (error) {
      return this.miss(error);
    }
  }

  /** Its address at the last reading, or its current id. */
  get address(): string {
    return this.last?.address ?? this.node.id;
  }

  /** Its figures of the last minute; null before two readings. */
  figures(): NodeFigures | null {
    const { before, recent } = this;
    if (!before || recent.length === 0) return null;
    return { process: before.info.runId, at: before.at, ...ratesOf(recent) };
  }

  /** Called when another process samples this node, or none does. */
  pause(): void {
    this.before = null;
    if (!this.isOut) this.last = null;
    this.startOver();
  }

  private take(reading: Reading): NodeSample {
    const { before, last } = this;
    const events: NodeEvent[] = this.isOut ? ['recovered'] : [];
    this.isOut = false;
    this.before = reading;
    this.last = reading;
    const change = last ? serverChange(last, reading) : 'same';
    if (change === 'restart') events.push(change);
    if (last && change === 'failover') events.push(...this.failover(last, reading));
    if (!before || change !== 'same' || reading.at - before.at > MAX_SPAN_MS) {
      this.startOver();
      return { events, reading, bucket: null, error: null };
    }
    const grown = delta(before, reading, this.carryOver);
    if (grown.kind !== 'bucket') {
      this.startOver();
      return { events: [...events, grown.kind], reading, bucket: null, error: null };
    }
    this.carryOver = grown.carryOver;
    this.recent = [...this.recent.filter(({ at }) => at > reading.at - FIGURES_MS), grown.bucket];
    return { events, reading, bucket: grown.bucket, error: null };
  }

  /**
   * A failover shows as another role or another process, or as one after the other: the old primary is demoted before
   * its clients leave it, or the new one answers before it is promoted. Then the second sign belongs to the same
   * failover.
   */
  private failover(last: Reading, reading: Reading): NodeEvent[] {
    const isPrimary = reading.info.role === 'primary';
    const sign = last.info.runId === reading.info.runId ? 'role' : 'process';
    const isMarked = this.sign !== null && this.sign !== sign;
    this.sign = isPrimary ? null : sign;
    if (isMarked) return [];
    if (sign === 'process') return ['moved'];
    return [isPrimary ? 'promoted' : 'demoted'];
  }

  private miss(error: unknown): NodeSample {
    this.before = null;
    this.startOver();
    // A server that answers but refuses INFO is not an outage.
    const isOut = this.isOut || !isNotPermitted(error);
    const events: NodeEvent[] = isOut && !this.isOut ? ['outage'] : [];
    this.isOut = isOut;
    return { events, reading: null, bucket: null, error };
  }

  /** Drops the carry-over, which belongs to the earlier counters. */
  private startOver(): void {
    this.carryOver = NO_CARRY_OVER;
    this.recent = [];
  }
}
