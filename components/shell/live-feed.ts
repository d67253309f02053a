import type { Point } from '@/lib/history/schema';

type FeedStatus = 'connecting' | 'live' | 'gap' | 'notPermitted' | 'paused' | 'unreachable' | 'tooMany';

export interface FeedState {
  status: FeedStatus;
  /** In the server's words, while there is a gap or too many streams are open. */
  reason: string | null;
  /** Since the page opened, oldest first; the last 15 minutes at most. */
  points: readonly Point[];
}

type Listener = () => void;

const KEPT = 900;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 15_000;
/** A point comes every second: after this long without one, what is shown is not live. */
const SILENCE_MS = 6000;

const START: FeedState = { status: 'connecting', reason: null, points: [] };

/**
 * One stream of `metrics.stream` for all that listens on a page: opened by the first listener, closed by the
 * last, paused in a hidden tab, opened anew with growing delay when it breaks.
 */
export class LiveFeed {
  private state = START;
  private readonly listeners = new Set<Listener>();
  private source: EventSource | null = null;
  private retryMs = FIRST_RETRY_MS;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly url: string) {}

  readonly read = (): FeedState => this.state;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      document.addEventListener('visibilitychange', this.onVisibility);
      this.open();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.onVisibility);
      this.close();
    };
  };

  private readonly onVisibility = () => {
    if (document.hidden) {
      this.close();
      this.set({ status: 'paused' });
    } else if (!this.source) this.open();
  };

  private open() {
    this.close();
    if (document.hidden) return;
    const source = new EventSource(this.url);
    this.source = source;
    source.addEventListener('point', (event) => this.onPoint(JSON.parse(event.data) as Point));
    source.addEventListener('gap', (event) => {
      this.watchSilence();
      const { reason = null, notPermitted } = JSON.parse(event.data) as {
        reason?: string;
        notPermitted?: boolean;
      };
      this.set({ status: notPermitted ? 'notPermitted' : 'gap', reason });
    });
    source.addEventListener('end', () => this.lost());
    source.onerror = () => {
      // What breaks is tried again by the browser; what the console refuses is closed for good.
      const isRefused = source.readyState === EventSource.CLOSED;
      this.lost();
      if (isRefused) void this.askWhy();
    };
    this.watchSilence();
  }

  private onPoint(point: Point) {
    this.retryMs = FIRST_RETRY_MS;
    this.watchSilence();
    const last = this.state.points.at(-1);
    if (last && last.at >= point.at) return this.set({ status: 'live', reason: null });
    this.set({ status: 'live', reason: null, points: [...this.state.points, point].slice(-KEPT) });
  }

  // EventSource retries some failures itself and gives up on others: one way for all.
  private lost() {
    this.close();
    this.set({ status: 'unreachable', reason: null });
    this.timer = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2);
  }

  // An EventSource does not tell why it was refused.
  private async askWhy() {
    const response = await fetch(this.url, { cache: 'no-store' }).catch(() => null);
    if (response?.status !== 429) return response?.body?.cancel();
    const { detail = null } = (await response.json()) as { detail?: string };
    if (this.state.status === 'unreachable') this.set({ status: 'tooMany', reason: detail });
  }

  private watchSilence() {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lost(), SILENCE_MS);
  }

  private close() {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.source?.close();
    this.source = null;
  }

  private set(change: Partial<FeedState>) {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}

export const idleFeed: FeedState = START;
