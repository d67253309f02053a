import { canShareTabs, withSlot } from '@/components/patterns/browser-slots';
import type { Point } from '@/lib/history/schema';
import { MetricsStream, SILENCE_MS, type StreamStatus, type StreamUpdate } from './metrics-stream';

export interface FeedState {
  status: 'connecting' | 'paused' | 'otherConnections' | StreamStatus;
  /** The reason in the server's words, during a gap or while too many streams are open. */
  reason: string | null;
  /** What is unreachable during a gap. */
  gapOf: 'redis' | 'store' | null;
  /** Oldest first, at most the last 15 minutes. */
  points: readonly Point[];
}

type Update = Omit<FeedState, 'points'> & { point?: Point };

type Message =
  | { kind: 'update'; update: Update }
  /** A tab that was opened or became visible; answered with `state`. */
  | { kind: 'hello' }
  | { kind: 'state'; state: FeedState }
  | { kind: 'ended' };

const MAX_POINTS = 900;
/** Concurrent connections with a stream per browser; searches take up to two more of its six connections. */
const STREAM_SLOTS = { name: 'metrics', count: 2 };
const HEARTBEAT_MS = 2000;
/** A random delay, so that not all tabs take over at the same moment. */
const takeOverMs = (): number => SILENCE_MS + Math.random() * HEARTBEAT_MS;

const START: FeedState = { status: 'connecting', reason: null, gapOf: null, points: [] };
export const idleFeed: FeedState = START;

const merge = (mine: readonly Point[], theirs: readonly Point[]): Point[] => {
  const byTime = new Map([...mine, ...theirs].map((point) => [point.at, point]));
  return [...byTime.values()].sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-MAX_POINTS);
};

/**
 * The live points of one connection for all visible tabs of a browser. The tab that holds the Web Lock `name` has the
 * stream and sends each event to the others by BroadcastChannel; when it is closed, hidden or crashes, the browser
 * gives the lock to the next tab. A hanging tab sends no heartbeats, and loses the lock. Without Web Locks each
 * visible tab has its own stream. `name` contains the user, so no tab receives another user's points.
 */
export class LiveFeed {
  private state = START;
  private readonly listeners = new Set<() => void>();
  private channel: BroadcastChannel | null = null;
  /** Aborts when the tab is hidden or has no listeners. */
  private attending: AbortController | null = null;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private holdsLock = false;
  private wantsState = false;
  private steal = (): void => undefined;

  constructor(
    private readonly url: string,
    private readonly name: string,
    /** Called in every tab when the sign-in or the permission ended. */
    private readonly onEnded: () => void,
  ) {}

  readonly read = (): FeedState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      document.addEventListener('visibilitychange', this.onVisibility);
      this.onVisibility();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.onVisibility);
      this.leave();
    };
  };

  private readonly onVisibility = (): void => {
    if (!document.hidden) {
      this.join();
      return;
    }
    this.leave();
    this.set({ status: 'paused' });
  };

  private join(): void {
    if (this.attending) return;
    this.attending = new AbortController();
    const { signal } = this.attending;
    if (this.state.status === 'paused') this.set({ status: 'connecting' });
    if (!canShareTabs()) {
      void this.hold(signal);
      return;
    }
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.onMessage(data);
    this.wantsState = true;
    this.send({ kind: 'hello' });
    this.watchSilence();
    void this.compete(signal);
  }

  private leave(): void {
    clearTimeout(this.silence);
    this.attending?.abort();
    this.attending = null;
    this.channel?.close();
    this.channel = null;
  }

  /** Waits for the lock and holds it as long as this tab participates. When the lock is taken away, waits again. */
  private async compete(signal: AbortSignal): Promise<void> {
    let steal = false;
    while (!signal.aborted) {
      const holding = new AbortController();
      const waiting = new AbortController();
      this.steal = () => waiting.abort();
      const options = steal ? { steal } : { signal: AbortSignal.any([signal, waiting.signal]) };
      const held = AbortSignal.any([signal, holding.signal]);
      await navigator.locks.request(this.name, options, () => this.hold(held)).catch(() => holding.abort());
      steal = waiting.signal.aborted && !steal;
      if (signal.aborted || steal) continue;
      this.watchSilence();
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS));
    }
  }

  private async hold(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.holdsLock = true;
    clearTimeout(this.silence);
    this.publish({});
    const heartbeat = setInterval(() => this.publish({}), HEARTBEAT_MS);
    const onWait = () => this.publish({ status: 'otherConnections', reason: null, gapOf: null });
    try {
      await withSlot(STREAM_SLOTS, signal, onWait, () => this.stream(signal));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(heartbeat);
      this.holdsLock = false;
    }
  }

  private stream(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const onUpdate = (update: StreamUpdate) => this.publish(update);
      const onEnded = () => {
        this.send({ kind: 'ended' });
        this.onEnded();
      };
      const stream = new MetricsStream(this.url, onUpdate, onEnded);
      signal.addEventListener(
        'abort',
        () => {
          stream.close();
          resolve();
        },
        { once: true },
      );
    });
  }

  /** Applies a change of the stream held by this tab, here and in the other tabs. An empty change is a heartbeat. */
  private publish(change: Partial<Update>): void {
    const { status, reason, gapOf } = this.state;
    const update = { status, reason, gapOf, ...change };
    this.apply(update);
    this.send({ kind: 'update', update });
  }

  private send(message: Message): void {
    this.channel?.postMessage(message);
  }

  private onMessage(message: Message): void {
    if (message.kind === 'ended') this.onEnded();
    else if (this.holdsLock) {
      if (message.kind === 'hello') this.send({ kind: 'state', state: this.state });
    } else if (message.kind !== 'hello') this.follow(message);
  }

  private follow(message: Message & { kind: 'update' | 'state' }): void {
    this.watchSilence();
    if (message.kind === 'update') this.apply(message.update);
    else if (this.wantsState) {
      this.wantsState = false;
      this.set({ ...message.state, points: merge(this.state.points, message.state.points) });
    }
  }

  private watchSilence(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.steal(), takeOverMs());
  }

  private apply({ point, ...change }: Update): void {
    const last = this.state.points.at(-1);
    const isNew = point && !(last && last.at >= point.at);
    this.set({ ...change, ...(isNew && { points: [...this.state.points, point].slice(-MAX_POINTS) }) });
  }

  private set(change: Partial<FeedState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}
