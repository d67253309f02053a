import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { isProcessKnown } from './client';
import type { ConnectionHandle } from './connections';
import { failureOf, isInDoubt, isNotPermitted, unavailable } from './failure';
import { type Found, isAway, NOTHING, type Redo } from './redo';
import { type Replication, readReplication, waitForReplicas } from './replication';
import { CURSORS, type Node, readyClient } from './topology';
import { WantedReplicas } from './wanted-replicas';

/** How often the primary is checked, where there are no replicas. */
const LOOK_MS = 1000;
/** The limit for one WAIT, which blocks the other changes on its connection. */
const WAIT_MS = 100;
/** Calls kept for repetition. Above it, a job waits for its replicas. */
const MAX_KEPT = 100;
/** How long a job waits for another primary, and for replicas that lag. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 50;

/** Why the replicas did not confirm everything. */
export type Unconfirmed = 'none' | 'left' | 'late' | 'refused';

/** How far a job's changes are known beyond its primary. */
export interface Fencing extends Found {
  /** How many replicas confirmed all changes. */
  replicas: number;
  /** Null when all attached replicas did. */
  why: Unconfirmed | null;
  failovers: number;
}

interface Kept {
  repeat(): Promise<Found>;
}

/**
 * A job's changes on one node: which of them its replicas have confirmed, and which another primary must receive
 * again.
 */
export class NodeFence {
  private kept: Kept[] = [];
  private known: Replication | null = null;
  private process = '';
  /** Our socket at the last check: WAIT covers only the writes on the same socket. */
  private socket: string | null = null;
  private wanted = new WantedReplicas();
  /** Calls up to `upTo` are confirmed when the replicas have reached the offset. */
  private mark: { offset: number; upTo: number } | null = null;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private settling: Promise<void> | null = null;
  /** Whether replicas were attached during some changes, and missing during others. */
  hadReplicas = false;
  lackedReplicas = false;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly node: Node,
    private readonly signal: AbortSignal,
    private readonly account: Fencing,
  ) {}

  /** Whether another primary may replace this one. */
  private get mayMove(): boolean {
    return this.handle.topology.kind !== 'standalone';
  }

  private add({ cameBack, unknown }: Found): void {
    this.account.cameBack += cameBack;
    this.account.unknown += unknown;
  }

  /** Runs `work` on the connection of the changes. Throws a 503 `Problem` where the server cannot answer. */
  private async ask<T>(commands: number, work: (redis: Redis) => Promise<T>): Promise<T> {
    const { id } = this.handle.config;
    const redis = await readyClient(id, this.node, 'write');
    this.node.own.commands += commands;
    this.lookedAt = performance.now();
    return work(redis).catch((error) => {
      throw failureOf(id, error);
    });
  }

  private look(): Promise<Replication> {
    return this.ask(1, readReplication).catch((error: unknown) => {
      if (!isNotPermitted(error)) throw error;
      this.account.why = 'refused';
      return { role: 'primary', id: this.processNow(), offset: 0, replicas: new Map() };
    });
  }

  private processNow(): string {
    return this.node.client('write').process() ?? '';
  }

  private socketNow(): string | null {
    return this.node.client('write').connection()?.addresses.join() ?? null;
  }

  async call<T>(make: () => Promise<T>, redo: Redo<T>): Promise<T> {
    if (!this.known) await this.settle();
    for (let isLost = false; ; ) {
      try {
        const reply = await make();
        const error = redo.errorIn?.(reply) ?? null;
        if (error && this.mayMove && isAway(error)) throw unavailable(this.handle.config.id, error);
        if (!isLost) return this.keep(make, redo, reply);
        const merged = redo.lost!(reply);
        this.add(merged.found);
        return this.keep(make, redo, merged.reply);
      } catch (error) {
        if (!this.mayMove || !isAway(error) || this.signal.aborted) throw error;
        if (isInDoubt(error) && !redo.lost) throw error;
        isLost ||= isInDoubt(error);
        if (!(await this.settle())) throw error;
      }
    }
  }

  /**
   * A change that another node executed, because its key has moved. It is confirmed here, but not repeated: after a
   * failover the key may have moved once more.
   */
  keepRedirected(): void {
    this.keepUnrepeated(1);
  }

  private keepUnrepeated(unknown: number): void {
    this.kept.push({ repeat: async () => ({ cameBack: 0, unknown }) });
  }

  leave(): void {
    if (this.kept.length > 0) this.account.why = 'left';
    this.kept = [];
  }

  private keep<T>(make: () => Promise<T>, redo: Redo<T>, counted: T): T {
    const unrepeated = redo.unrepeated?.(counted) ?? null;
    if (unrepeated !== null) {
      if (unrepeated > 0) this.keepUnrepeated(unrepeated);
      return counted;
    }
    const repeat = async () => redo.compare(counted, await make());
    // A standalone server repeats nothing: its calls are kept only until they are confirmed.
    this.kept.push({ repeat: this.mayMove ? repeat : async () => NOTHING });
    return counted;
  }

  /**
   * Waits for the primary, and repeats there what it may not have received. False when the job is cancelled meanwhile;
   * throws a 503 `Problem` after a minute.
   */
  private async settle(): Promise<boolean> {
    this.settling ??= this.findPrimary().finally(() => {
      this.settling = null;
    });
    await this.settling;
    return !this.signal.aborted;
  }

  private async findPrimary(): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    for (let last: unknown = unavailable(this.handle.config.id, new Error('READONLY')); ; ) {
      try {
        const now = await this.look();
        if (!this.mayMove || (now.role === 'primary' && this.isOneProcess())) {
          await this.follow(now);
          return;
        }
      } catch (error) {
        if (!this.mayMove || !isAway(error)) throw error;
        last = error;
      }
      if (this.signal.aborted) return;
      if (performance.now() > until) throw last;
      await sleep(RETRY_MS);
    }
  }

  /** Whether changes and walk use the same server process. */
  private isOneProcess(): boolean {
    const [changes, walk] = (['write', CURSORS] as const).map((name) => this.node.client(name).process());
    return !changes || !walk || !isProcessKnown(changes + walk) || changes === walk;
  }

  private async follow(now: Replication): Promise<void> {
    if (this.known && this.known.id !== now.id && this.mayMove) {
      for (const { repeat } of [...this.kept]) this.add(await repeat());
      // A process that was demoted and promoted again has lost changes, too.
      if (this.process !== this.processNow()) this.account.failovers += 1;
    }
    this.process = this.processNow();
    const socket = this.socketNow();
    const isOther = this.known?.id !== now.id;
    if (isOther) this.wanted = new WantedReplicas(now.replicas.keys());
    this.hadReplicas ||= this.wanted.size > 0;
    if (isOther || socket !== this.socket) {
      this.mark = this.kept.length > 0 ? { offset: now.offset, upTo: this.kept.length } : null;
    }
    this.socket = socket;
    this.known = now;
  }

  /** Tries once to confirm the changes so far. True when nothing is left to confirm. */
  private async tryConfirm(): Promise<boolean> {
    if (this.kept.length === 0) return true;
    if (!this.known) {
      await this.settle();
      return false;
    }
    const upTo = this.kept.length;
    const mayWait = !this.mark && this.wanted.size > 0 && !this.wanted.hasLeft;
    const { confirmed, now } = mayWait ? await this.wait() : { confirmed: null, now: await this.look() };
    if (now.id !== this.known.id || this.socketNow() !== this.socket) {
      await this.settle();
      return false;
    }
    this.known = now;
    // While it is being replaced, the old primary continues to accept changes for some seconds.
    if (this.wanted.compare(now.replicas, { mayMove: this.mayMove }).isGone) this.account.why = 'left';
    if (confirmed === null) return this.confirmByOffsets(now, upTo);
    // WAIT has also counted a replica that is attached only now, or it has not confirmed.
    return !this.wanted.hasLeft && confirmed >= this.wanted.size && this.release(upTo);
  }

  private wait(): ReturnType<typeof waitForReplicas> {
    return this.ask(2, (redis) => waitForReplicas(redis, this.wanted.size, WAIT_MS));
  }

  /** Where WAIT does not cover the writes: compares the offset that each replica confirmed. */
  private confirmByOffsets({ offset, replicas }: Replication, upTo: number): boolean {
    this.mark ??= { offset, upTo };
    const { offset: needed, upTo: first } = this.mark;
    if (!this.wanted.haveReached(needed, replicas)) return false;
    this.mark = null;
    return this.release(first);
  }

  private release(upTo: number): boolean {
    this.kept.splice(0, upTo);
    this.account.replicas = Math.min(this.account.replicas, this.wanted.size);
    if (this.wanted.size > 0) this.hadReplicas = true;
    else this.lackedReplicas = true;
    return this.kept.length === 0;
  }

  /** Called at the end of each chunk. Waits only when too much is unconfirmed. */
  async confirm(): Promise<void> {
    if (this.kept.length === 0) return;
    const everyMs = this.wanted.size === 0 ? LOOK_MS : this.wanted.hasLeft ? RETRY_MS : 0;
    const isDue = performance.now() - this.lookedAt >= everyMs;
    if (this.kept.length >= MAX_KEPT) await this.confirmAll();
    else if (isDue) await this.attempt();
  }

  private async attempt(): Promise<boolean> {
    try {
      return await this.tryConfirm();
    } catch (error) {
      if (!this.mayMove || !isAway(error)) throw error;
      await this.settle();
      return false;
    }
  }

  /** Whether everything is confirmed. Waits up to a minute. */
  async confirmAll(): Promise<boolean> {
    const until = performance.now() + MAX_WAIT_MS;
    while (!(await this.attempt())) {
      if (this.signal.aborted || performance.now() > until) {
        this.giveUp();
        return false;
      }
      await sleep(RETRY_MS);
    }
    return true;
  }

  /** Whether replicas still have to confirm something. */
  isLate(): boolean {
    return this.kept.length > 0 && this.wanted.size > 0;
  }

  /** After this, unconfirmed calls are not repeated after a failover. */
  private giveUp(): void {
    this.account.why = 'late';
    if (this.kept.length >= MAX_KEPT) this.kept = [];
  }

  /** Called before a walk: it must not count again what is repeated after a failover. */
  async follows(): Promise<void> {
    if (this.known && this.mayMove) await this.settle();
  }
}
