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

/** Without replicas, how often the primary is looked at. */
const LOOK_MS = 1000;
/** One WAIT: it holds up the other changes on its connection. */
const WAIT_MS = 100;
/** Calls kept to be repeated. Then a job waits for its replicas. */
const MAX_KEPT = 100;
/** How long a job waits for another primary, and for replicas that are behind. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 50;

/** Why not everything was confirmed by the replicas. */
export type Unconfirmed = 'none' | 'left' | 'late' | 'refused';

/** What is known of a job's changes beyond its primary. */
export interface Fencing extends Found {
  /** How many replicas confirmed all changes. */
  replicas: number;
  /** Null when all that were attached did. */
  why: Unconfirmed | null;
  failovers: number;
}

interface Kept {
  repeat(): Promise<Found>;
}

/** Changes of a job on one node: which its replicas have confirmed, and what another primary must be given again. */
export class NodeFence {
  private readonly handle: ConnectionHandle;
  private readonly node: Node;
  private readonly signal: AbortSignal;
  private readonly account: Fencing;
  private kept: Kept[] = [];
  private known: Replication | null = null;
  private process = '';
  /** Our socket at the last look: WAIT knows only what was written on the same one. */
  private socket: string | null = null;
  private wanted = new WantedReplicas();
  /** Which calls are confirmed when replicas have reached an offset. */
  private mark: { offset: number; upTo: number } | null = null;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private settling: Promise<void> | null = null;
  /** Whether changes were confirmed by replicas, and whether there was none for others. */
  hadReplicas = false;
  lackedReplicas = false;

  constructor(handle: ConnectionHandle, node: Node, signal: AbortSignal, account: Fencing) {
    this.handle = handle;
    this.node = node;
    this.signal = signal;
    this.account = account;
  }

  /** Whether another primary may follow this one. */
  private get mayMove(): boolean {
    return this.handle.topology.kind !== 'standalone';
  }

  private add({ cameBack, unknown }: Found): void {
    this.account.cameBack += cameBack;
    this.account.unknown += unknown;
  }

  /** Asks on the connection of the changes. Throws a 503 `Problem` where the server cannot answer. */
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
   * A change that another node executed, because its key has moved: it is confirmed here, but not repeated, because after a
   * failover it may have moved once more.
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
    // On one server nothing is repeated: its calls are kept only so that they are confirmed.
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

  /** Whether the changes go where the walk reads. */
  private isOneProcess(): boolean {
    const [changes, walk] = (['write', CURSORS] as const).map((name) => this.node.client(name).process());
    return !changes || !walk || !isProcessKnown(changes + walk) || changes === walk;
  }

  private async follow(now: Replication): Promise<void> {
    if (this.known && this.known.id !== now.id && this.mayMove) {
      for (const { repeat } of [...this.kept]) this.add(await repeat());
      // One process that was demoted and promoted again has lost changes, too.
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

  /** One attempt to confirm what was changed so far. True when there is nothing left to confirm. */
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
    // The old primary goes on accepting changes while it is replaced, for seconds.
    if (this.wanted.compare(now.replicas, { mayMove: this.mayMove }).isGone) this.account.why = 'left';
    if (confirmed === null) return this.confirmByOffsets(now, upTo);
    // One that is attached now has also been counted by WAIT, or has not confirmed.
    return !this.wanted.hasLeft && confirmed >= this.wanted.size && this.release(upTo);
  }

  private wait(): ReturnType<typeof waitForReplicas> {
    return this.ask(2, (redis) => waitForReplicas(redis, this.wanted.size, WAIT_MS));
  }

  /** Where WAIT does not know what was written: by how far each replica confirmed the stream. */
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

  /** At the end of each chunk. Waits only when too much is unconfirmed. */
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

  /** Whether everything is confirmed, after a minute at the latest. */
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

  /** Whether replicas have not confirmed everything yet. */
  isLate(): boolean {
    return this.kept.length > 0 && this.wanted.size > 0;
  }

  /** What was not confirmed is no longer repeated after a failover. */
  private giveUp(): void {
    this.account.why = 'late';
    if (this.kept.length >= MAX_KEPT) this.kept = [];
  }

  /** Before a walk: it must not count again what is repeated after a failover. */
  async follows(): Promise<void> {
    if (this.known && this.mayMove) await this.settle();
  }
}
