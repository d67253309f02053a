import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@/lib/errors';
import { SECOND } from '@/lib/time';
import type { Client } from './client';
import type { ConnectionHandle } from './connections';
import { isNotPermitted, unavailable } from './failure';

export type SubscriptionKind = 'channel' | 'pattern' | 'sharded';

/** A channel by its bytes; a pattern as Redis interprets it, in UTF-8, because the client decodes patterns. */
export interface Subscription {
  kind: SubscriptionKind;
  name: Buffer;
}

/** Receives what the subscriptions `S` of one connection hear. */
export interface PubSubSink<S extends Subscription> {
  /** A message of one subscription. The buffers are valid only until the call returns. */
  message(subscription: S, channel: Buffer, payload: Buffer): void;
  /** The connection was lost: nothing is certain since then, epoch ms. It is opened again until `resumed`. */
  cut(subscriptions: readonly S[], since: number): void;
  resumed(subscriptions: readonly S[], since: number): void;
  /** The server no longer allows it, which shows when it is subscribed again: it has ended. */
  refused(subscription: S, problem: Problem): void;
}

/** A dead peer may never say so: without answers to PING the connection counts as lost. */
const HEARTBEAT_MS = 5 * SECOND;
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 1500;

const retryAfter = (attempt: number): number =>
  Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() * 0.5);

const idOf = ({ kind, name }: Subscription): string => `${kind} ${name.toString('latin1')}`;

const subscribe = ({ redis }: Client, { kind, name }: Subscription): Promise<unknown> => {
  if (kind === 'pattern') return redis.psubscribe(name.toString());
  return kind === 'sharded' ? redis.ssubscribe(name) : redis.subscribe(name);
};

const unsubscribe = ({ redis }: Client, { kind, name }: Subscription): Promise<unknown> => {
  if (kind === 'pattern') return redis.punsubscribe(name.toString());
  return kind === 'sharded' ? redis.sunsubscribe(name) : redis.unsubscribe(name);
};

/** One subscriber connection with its subscriptions. It is open while there are any. */
class Line<S extends Subscription> {
  private readonly wanted = new Map<string, S>();
  /** Of `wanted` those whose `add` has not ended. */
  private readonly adding = new Set<string>();
  private client: Client | null = null;
  private opening: Promise<Client> | null = null;
  /** When the server was heard last, epoch ms. */
  private heardAt = 0;
  private heartbeat: NodeJS.Timeout | null = null;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly sink: PubSubSink<S>,
  ) {}

  has(subscription: Subscription): boolean {
    return this.client !== null && this.wanted.has(idOf(subscription));
  }

  /** Resolves when the server has confirmed it; throws a 503 `Problem`, and then it is not subscribed. */
  async add(subscription: S): Promise<void> {
    const id = idOf(subscription);
    this.wanted.set(id, subscription);
    this.adding.add(id);
    try {
      const client = await this.open();
      // It may have been there already when the connection was opened: the server does not mind.
      await this.send(client, subscribe, subscription);
    } catch (error) {
      // A server that did not answer in time may have subscribed it nevertheless.
      this.remove(subscription);
      throw unavailable(this.handle.config.id, error);
    } finally {
      this.adding.delete(id);
    }
  }

  remove(subscription: S): void {
    if (!this.wanted.delete(idOf(subscription)) || this.closeUnused() || !this.client) return;
    // If it fails the connection is lost, and the subscription with it.
    this.send(this.client, unsubscribe, subscription).catch(() => undefined);
  }

  close(): void {
    this.wanted.clear();
    this.closeUnused();
  }

  private send(
    client: Client,
    work: (client: Client, subscription: S) => Promise<unknown>,
    subscription: S,
  ): Promise<unknown> {
    this.handle.own.commands += 1;
    return work(client, subscription);
  }

  private closeUnused(): boolean {
    if (this.wanted.size > 0) return false;
    const { client } = this;
    this.forget();
    client?.close();
    return true;
  }

  private forget(): void {
    this.client = null;
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.heartbeat = null;
  }

  private open(): Promise<Client> {
    if (this.client) return Promise.resolve(this.client);
    this.opening ??= this.connect().finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async connect(): Promise<Client> {
    const client = this.handle.topology.primaries()[0]!.dedicated('pubsub');
    try {
      await client.ready();
      this.listen(client);
      for (const [id, subscription] of [...this.wanted])
        if (this.wanted.has(id)) await this.send(client, subscribe, subscription).catch(this.refuse(id));
      // Closed by everybody who waited for it.
      if (this.wanted.size === 0) throw new Error('Connection is closed.');
      this.client = client;
      this.heartbeat = setInterval(() => this.beat(client), HEARTBEAT_MS).unref();
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** One that is refused must not end the others. A new one is refused again by its `add`, which throws that. */
  private refuse(id: string): (error: unknown) => void {
    return (error) => {
      if (!isNotPermitted(error)) throw error;
      const subscription = this.adding.has(id) ? undefined : this.wanted.get(id);
      if (!subscription) return;
      this.wanted.delete(id);
      this.sink.refused(subscription, unavailable(this.handle.config.id, error));
    };
  }

  private listen(client: Client): void {
    const { redis } = client;
    const pass = (kind: SubscriptionKind, name: string, channel: Buffer, payload: Buffer): void => {
      this.heardAt = Date.now();
      const subscription = this.wanted.get(`${kind} ${name}`);
      if (subscription) this.sink.message(subscription, channel, payload);
    };
    this.heardAt = Date.now();
    redis.on('messageBuffer', (channel: Buffer, payload: Buffer) =>
      pass('channel', channel.toString('latin1'), channel, payload),
    );
    redis.on('smessageBuffer', (channel: Buffer, payload: Buffer) =>
      pass('sharded', channel.toString('latin1'), channel, payload),
    );
    redis.on('pmessageBuffer', (pattern: string, channel: Buffer, payload: Buffer) =>
      pass('pattern', Buffer.from(pattern).toString('latin1'), channel, payload),
    );
    redis.once('close', () => this.lost(client));
  }

  /**
   * Asks whether a quiet server is there. An answer that is late behind messages, or because this process was busy, is no
   * loss: only two questions without any sound are.
   */
  private beat(client: Client, isSecond = false): void {
    const askedAt = Date.now();
    if (!isSecond && this.heardAt > askedAt - HEARTBEAT_MS) return;
    this.handle.own.commands += 1;
    client.redis.ping().then(
      () => {
        this.heardAt = Date.now();
      },
      () => {
        if (this.client !== client || this.heardAt >= askedAt) return;
        if (isSecond) client.close();
        else this.beat(client, true);
      },
    );
  }

  private lost(client: Client): void {
    if (this.client !== client) return;
    this.forget();
    const since = this.heardAt;
    this.sink.cut([...this.wanted.values()], since);
    void this.reopen(since);
  }

  private async reopen(since: number): Promise<void> {
    for (let attempt = 0; this.wanted.size > 0; attempt++) {
      await sleep(retryAfter(attempt), undefined, { ref: false });
      const isOpen = await this.open().then(
        () => true,
        () => false,
      );
      if (isOpen) return this.sink.resumed([...this.wanted.values()], since);
    }
  }
}

/**
 * The subscriptions of this process on one server. Sharded channels have a connection of their own: the server counts
 * them apart, and ioredis takes a count of zero for the end of all subscriptions.
 */
export class PubSub<S extends Subscription> {
  private readonly plain: Line<S>;
  private readonly sharded: Line<S>;

  constructor(handle: ConnectionHandle, sink: PubSubSink<S>) {
    this.plain = new Line(handle, sink);
    this.sharded = new Line(handle, sink);
  }

  private lineOf({ kind }: Subscription): Line<S> {
    return kind === 'sharded' ? this.sharded : this.plain;
  }

  /** Whether the server counts us as its subscriber now. */
  has(subscription: Subscription): boolean {
    return this.lineOf(subscription).has(subscription);
  }

  /** Resolves when the server has confirmed it; throws a 503 `Problem`, and then it is not subscribed. */
  add(subscription: S): Promise<void> {
    return this.lineOf(subscription).add(subscription);
  }

  remove(subscription: S): void {
    this.lineOf(subscription).remove(subscription);
  }

  close(): void {
    this.plain.close();
    this.sharded.close();
  }
}
