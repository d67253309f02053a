import 'server-only';
import { randomBytes } from 'node:crypto';
import { type Problem, throttled } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { PubSub, type Subscription } from '@/lib/redis/pubsub';
import { MINUTE } from '@/lib/time';
import { isOwnChannel } from './channel-name';
import { MAX_SHOWN_BYTES, Message } from './heard';
import { MAX_NAME_BYTES } from './schema';
import { Watch } from './watch';

/** How long a channel is watched after its last listener: its history is there when somebody returns. */
const LINGER_MS = MINUTE;
/** Channels and patterns of one connection. */
const MAX_WATCHES = 500;

/** Who listens to some watches. They are called in the order of arrival, and must not wait. */
export interface Listener {
  hear(message: Message): void;
  /** The connection was lost, epoch ms; `until` null while it is. */
  gap(since: number, until: number | null): void;
  /** The server no longer allows one of the subscriptions. */
  fail(problem: Problem): void;
}

const placeOf = ({ kind, name }: Subscription): string => `${kind} ${name.toString('latin1')}`;

interface Joined {
  watches: readonly Watch[];
  leave: () => void;
}

/** Bytes retained of the end of a name that is too long for an id, for display. */
const SHOWN_END = 1024;

/** What this process hears on one connection, shared by all who listen. */
export class Hub {
  /** Distinguishes numbers of messages from those of other processes. */
  readonly process = randomBytes(6).toString('base64url');
  private readonly watches = new Map<string, Watch>();
  private readonly listeners = new Map<Watch, Set<Listener>>();
  private readonly pubsub: PubSub<Watch>;
  private number = 0;

  constructor(handle: ConnectionHandle) {
    this.pubsub = new PubSub<Watch>(handle, {
      message: (watch, channel, payload) => this.hear(watch, channel, payload),
      cut: (watches, since) => this.lose(watches, since),
      resumed: (watches, since) => this.resume(watches, since),
      refused: (watch, problem) => this.refuse(watch, problem),
    });
  }

  watched(): readonly Watch[] {
    return [...this.watches.values()].filter(({ since }) => since !== null);
  }

  /** A message that this process still keeps, by its id. */
  message(id: string, now: number): Message | undefined {
    for (const watch of this.watches.values())
      for (const message of watch.messages(now)) if (message.idIn(this.process) === id) return message;
    return undefined;
  }

  find(subscription: Subscription): Watch | undefined {
    return this.watches.get(placeOf(subscription));
  }

  /** Whether the server counts us as a subscriber. */
  isSubscribed(subscription: Subscription): boolean {
    return this.pubsub.has(subscription);
  }

  /**
   * Subscribes and listens until `leave`. Throws a 503 `Problem` where the server refuses or cannot be reached, and 429
   * where too much is watched.
   */
  async join(wanted: readonly Subscription[], listener: Listener): Promise<Joined> {
    const distinct = new Map(wanted.map((subscription) => [placeOf(subscription), subscription]));
    const watches: Watch[] = [];
    const leave = () => {
      for (const watch of watches.splice(0)) this.release(watch, listener);
    };
    try {
      for (const [place, subscription] of distinct) {
        const watch = this.hold(place, subscription);
        watches.push(watch);
        // At once: one that is ready may be refused while another is awaited.
        this.listeners.get(watch)!.add(listener);
      }
      await Promise.all(watches.map(({ ready }) => ready));
    } catch (error) {
      leave();
      throw error;
    }
    return { watches: [...watches], leave };
  }

  private hold(place: string, subscription: Subscription): Watch {
    let watch = this.watches.get(place);
    if (!watch) {
      if (this.watches.size >= MAX_WATCHES && !this.endUnheard())
        throw throttled(`${MAX_WATCHES} channels are watched, the maximum.`, LINGER_MS / 1000);
      watch = new Watch(subscription);
      this.watches.set(place, watch);
      this.listeners.set(watch, new Set());
      for (const watched of this.watches.values()) watched.trim(this.watches.size);
      watch.ready = this.begin(watch);
      // Its listeners get the error.
      watch.ready.catch(() => undefined);
    }
    watch.listeners += 1;
    if (watch.timer) clearTimeout(watch.timer);
    watch.timer = null;
    return watch;
  }

  private async begin(watch: Watch): Promise<void> {
    try {
      await this.pubsub.add(watch);
      watch.begin(Date.now());
    } catch (error) {
      this.forget(watch);
      throw error;
    }
  }

  private release(watch: Watch, listener: Listener): void {
    this.listeners.get(watch)?.delete(listener);
    watch.listeners -= 1;
    if (watch.listeners > 0 || !this.listeners.has(watch)) return;
    watch.timer = setTimeout(() => this.end(watch), LINGER_MS).unref();
  }

  private end(watch: Watch): void {
    this.forget(watch);
    this.pubsub.remove(watch);
  }

  /** Ends the oldest that nobody listens to. Whether there was one. */
  private endUnheard(): boolean {
    const unheard = [...this.watches.values()].find(({ timer, since }) => timer !== null && since !== null);
    if (unheard) this.end(unheard);
    return unheard !== undefined;
  }

  private forget(watch: Watch): void {
    if (watch.timer) clearTimeout(watch.timer);
    if (this.find(watch) === watch) this.watches.delete(placeOf(watch));
    this.listeners.delete(watch);
  }

  private refuse(watch: Watch, problem: Problem): void {
    const listeners = this.of([watch]);
    this.forget(watch);
    for (const listener of listeners) listener.fail(problem);
  }

  private hear(watch: Watch, channel: Buffer, payload: Buffer): void {
    if (isOwnChannel(channel)) return;
    const message = new Message({
      number: ++this.number,
      at: Date.now(),
      kind: watch.kind,
      // Copies: a view would hold the complete chunk that was read from the socket.
      channel: Buffer.concat([
        channel.subarray(0, MAX_NAME_BYTES),
        channel.subarray(MAX_NAME_BYTES).subarray(-SHOWN_END),
      ]),
      pattern: watch.kind === 'pattern' ? watch.name : null,
      head: Buffer.from(payload.subarray(0, MAX_SHOWN_BYTES)),
      bytes: payload.length,
    });
    watch.add(message, this.watches.size);
    for (const listener of this.listeners.get(watch) ?? []) listener.hear(message);
  }

  private of(watches: readonly Watch[]): Set<Listener> {
    return new Set(watches.flatMap((watch) => [...(this.listeners.get(watch) ?? [])]));
  }

  private lose(watches: readonly Watch[], since: number): void {
    for (const watch of watches) watch.cut(since);
    for (const listener of this.of(watches)) listener.gap(since, null);
  }

  private resume(watches: readonly Watch[], since: number): void {
    const now = Date.now();
    for (const watch of watches) watch.resumed(now);
    for (const listener of this.of(watches)) listener.gap(since, now);
  }

  close(): void {
    for (const { timer } of this.watches.values()) if (timer) clearTimeout(timer);
    this.watches.clear();
    this.listeners.clear();
    this.pubsub.close();
  }
}

const hubs = processWide('live hubs', () => new Map<ConnectionHandle, Hub>());

export const hubOf = (handle: ConnectionHandle): Hub => {
  let hub = hubs().get(handle);
  if (!hub) {
    hub = new Hub(handle);
    hubs().set(handle, hub);
  }
  return hub;
};

/** Ends all subscriptions of this process. */
export const closeHubs = (): void => {
  for (const hub of hubs.made()?.values() ?? []) hub.close();
  hubs.forget();
};
