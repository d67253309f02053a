import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@/lib/errors';
import { SECOND } from '@/lib/time';
import { type Client, retryStrategy } from './client';
import type { ConnectionHandle } from './connections';
import { knownPrimaries } from './each-primary';
import { isNotPermitted, unavailable } from './failure';
import type { Node } from './topology';

export type SubscriptionKind = 'channel' | 'pattern' | 'sharded';

/** A channel by its bytes; a pattern in UTF-8, because ioredis decodes patterns. */
export interface Subscription {
  kind: SubscriptionKind;
  name: Buffer;
}

/** Receives the messages of the subscriptions `S` of one connection. */
export interface PubSubSink<S extends Subscription> {
  /** A message of one subscription. The buffers are valid only until the call returns. */
  message(subscription: S, channel: Buffer, payload: Buffer): void;
  /** The connection was lost: messages may be missing since then, epoch ms. It is reopened until `resumed`. */
  cut(subscriptions: readonly S[], since: number): void;
  resumed(subscriptions: readonly S[], since: number): void;
  /** The server no longer permits the subscription, which shows when it is renewed: it has ended. */
  refused(subscription: S, problem: Problem): void;
}

/** A dead peer may never close its socket: without answers to PING the connection counts as lost. */
const HEARTBEAT_MS = 5 * SECOND;

const idOf = ({ kind, name }: Subscription): string => `${kind} ${name.toString('latin1')}`;

const subscribe = ({ redis }: Client, { kind, name }: Subscription): Promise<unknown> => {
  if (kind === 'pattern') return redis.psubscribe(name.toString());
  return kind === 'sharded' ? redis.ssubscribe(name) : redis.subscribe(name);
};

const unsubscribe = ({ redis }: Client, { kind, name }: Subscription): Promise<unknown> => {
  if (kind === 'pattern') return redis.punsubscribe(name.toString());
  return kind === 'sharded' ? redis.sunsubscribe(name) : redis.unsubscribe(name);
};

/** The node to connect to, at the nth attempt in a row. */
type NodeAt = (attempt: number) => Node;

/** One subscriber connection with its subscriptions. It is open while there are any. */
class Line<S extends Subscription> {
  private readonly wanted = new Map<string, S>();
  /** Subscriptions in `wanted` whose `add` is still running. */
  private readonly adding = new Set<string>();
  private client: Client | null = null;
  private node: Node;
  private attempt = 0;
  private opening: Promise<Client> | null = null;
  /** When data from the server last arrived, epoch ms. */
  private heardAt = 0;
  private heartbeat: NodeJS.Timeout | null = null;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly sink: PubSubSink<S>,
    private readonly nodeAt: NodeAt,
    /** Its subscription is valid as long as its channel's slot is on the node. */
    private readonly isOfSlot = false,
  ) {
    this.node = nodeAt(0);
  }

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
      // The connection may have opened with it: the server accepts repeated subscriptions.
      await this.send(client, subscribe, subscription);
    } catch (error) {
      // A server that did not answer in time may have subscribed it all the same.
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
    this.node.own.commands += 1;
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
    await knownPrimaries(this.handle);
    this.node = this.nodeAt(this.attempt++);
    const client = this.node.dedicated('pubsub');
    try {
      await client.ready();
      this.listen(client);
      for (const [id, subscription] of [...this.wanted])
        if (this.wanted.has(id)) await this.send(client, subscribe, subscription).catch(this.refuse(id));
      this.attempt = 0;
      // `remove` may have taken every subscription meanwhile.
      if (this.wanted.size === 0) throw new Error('Connection is closed.');
      this.client = client;
      this.heartbeat = setInterval(() => this.beat(client), HEARTBEAT_MS).unref();
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** One refused subscription must not end the others. A new one is refused again by its `add`, which throws. */
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
   * Checks a silent server. An answer may be late behind messages, or because this process was busy, so only two
   * unanswered PINGs without any data count as a loss.
   */
  private beat(client: Client, isSecond = false): void {
    const askedAt = Date.now();
    // The channel's slot has moved, and the server ended the subscription.
    if (this.isOfSlot && this.nodeAt(0) !== this.node) {
      client.close();
      return;
    }
    if (!isSecond && this.heardAt > askedAt - HEARTBEAT_MS) return;
    this.node.own.commands += 1;
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
      await sleep(retryStrategy(attempt), undefined, { ref: false });
      const isOpen = await this.open().then(
        () => true,
        () => false,
      );
      if (isOpen) return this.sink.resumed([...this.wanted.values()], since);
    }
  }
}

/** Changes of the primaries are noticed within this time. */
const FOLLOW_MS = 2 * SECOND;

/** Subscriptions on every primary: only the server of a key publishes its keyspace notifications. */
class Everywhere<S extends Subscription> {
  private readonly lines = new Map<Node, Line<S>>();
  private readonly wanted = new Set<S>();
  /** Nodes without a connection at present. */
  private readonly unheard = new Set<Node>();
  private followedAt = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly sink: PubSubSink<S>,
  ) {}

  has(subscription: Subscription): boolean {
    return this.lines.size > 0 && [...this.lines.values()].every((line) => line.has(subscription));
  }

  async add(subscription: S): Promise<void> {
    this.wanted.add(subscription);
    this.timer ??= setInterval(() => this.follow(), FOLLOW_MS).unref();
    try {
      const nodes = await knownPrimaries(this.handle);
      await Promise.all(nodes.map((node) => this.lineTo(node).add(subscription)));
      this.followedAt = Date.now();
    } catch (error) {
      this.remove(subscription);
      throw error;
    }
  }

  remove(subscription: S): void {
    this.wanted.delete(subscription);
    for (const line of this.lines.values()) line.remove(subscription);
    if (this.wanted.size === 0) this.close();
  }

  close(): void {
    for (const line of this.lines.values()) line.close();
    this.lines.clear();
    this.unheard.clear();
    this.wanted.clear();
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private lineTo(node: Node): Line<S> {
    let line = this.lines.get(node);
    if (!line) {
      const sink: PubSubSink<S> = {
        message: (...heard) => this.sink.message(...heard),
        cut: (_subscriptions, since) => this.lose(node, since),
        resumed: (_subscriptions, since) => this.resume(node, since),
        refused: (subscription, problem) => this.sink.refused(subscription, problem),
      };
      line = new Line(this.handle, sink, () => node);
      this.lines.set(node, line);
    }
    return line;
  }

  private lose(node: Node, since: number): void {
    if (this.unheard.size === 0) this.sink.cut([...this.wanted], since);
    this.unheard.add(node);
  }

  private resume(node: Node, since: number): void {
    if (this.unheard.delete(node) && this.unheard.size === 0) this.sink.resumed([...this.wanted], since);
  }

  private follow(): void {
    const nodes = this.handle.topology.primaries();
    const since = this.followedAt;
    this.followedAt = Date.now();
    for (const [node, line] of this.lines)
      if (!nodes.includes(node)) {
        line.close();
        this.lines.delete(node);
        this.resume(node, since);
      }
    for (const node of nodes) {
      if (this.lines.has(node)) continue;
      this.lose(node, since);
      const line = this.lineTo(node);
      Promise.all([...this.wanted].map((subscription) => line.add(subscription))).then(
        () => this.resume(node, since),
        // The next `follow` tries again.
        () => this.lines.delete(node),
      );
    }
  }
}

/** Whether a channel carries keyspace notifications. */
const isOfKeys = ({ name }: Subscription): boolean => name.toString('latin1', 0, 5) === '__key';

/**
 * The subscriptions of this process on the servers of a connection. Sharded channels have separate connections: the
 * server counts them separately, and ioredis takes a count of zero for the end of all subscriptions. In a cluster each
 * has one, to the node of its slot; other messages reach every node, so one connection is enough for them.
 */
export class PubSub<S extends Subscription> {
  private readonly plain: Line<S>;
  private readonly sharded = new Map<string, Line<S>>();
  private readonly everywhere: Everywhere<S>;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly sink: PubSubSink<S>,
  ) {
    const { topology } = handle;
    const any: NodeAt = (attempt) => {
      const nodes = topology.primaries();
      return nodes[attempt % nodes.length]!;
    };
    this.plain = new Line(handle, sink, any);
    this.everywhere = new Everywhere(handle, sink);
  }

  private lineOf(subscription: Subscription): Line<S> | Everywhere<S> {
    const { topology } = this.handle;
    const isCluster = topology.kind === 'cluster';
    if (subscription.kind !== 'sharded')
      return isCluster && isOfKeys(subscription) ? this.everywhere : this.plain;
    const { name } = subscription;
    const place = isCluster ? name.toString('latin1') : '';
    let line = this.sharded.get(place);
    if (!line) {
      line = new Line(this.handle, this.sink, () => topology.nodeOf(name), isCluster);
      this.sharded.set(place, line);
    }
    return line;
  }

  /** Whether the server counts us as a subscriber now. */
  has(subscription: Subscription): boolean {
    return this.lineOf(subscription).has(subscription);
  }

  /** Resolves when the server has confirmed it; throws a 503 `Problem`, and then it is not subscribed. */
  add(subscription: S): Promise<void> {
    return this.lineOf(subscription).add(subscription);
  }

  remove(subscription: S): void {
    this.lineOf(subscription).remove(subscription);
    if (this.handle.topology.kind === 'cluster' && subscription.kind === 'sharded')
      this.sharded.delete(subscription.name.toString('latin1'));
  }

  close(): void {
    this.plain.close();
    for (const line of this.sharded.values()) line.close();
    this.everywhere.close();
  }
}
