import type { Point } from '@/lib/history/schema';

export type StreamStatus = 'live' | 'gap' | 'notPermitted' | 'unreachable' | 'tooMany';

/** One event of the stream, or a change of its status. */
export interface StreamUpdate {
  status: StreamStatus;
  /** In the server's words, for a gap or a refusal. */
  reason: string | null;
  /** What is unreachable during a gap. */
  gapOf: 'redis' | 'store' | null;
  point?: Point;
}

interface Gap {
  reason: string;
  of: 'redis' | 'store' | 'history';
  notPermitted?: boolean;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 15_000;
/** A point or gap arrives every second: after this silence the stream counts as broken. */
export const SILENCE_MS = 6000;

/** The `history.stream` of one connection, reopened with growing delays when it breaks. */
export class MetricsStream {
  private source: EventSource | null = null;
  private retryMs = FIRST_RETRY_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly onUpdate: (update: StreamUpdate) => void,
    /** Called when the sign-in or the permission behind the stream ended. */
    private readonly onEnded: () => void,
  ) {
    this.open();
  }

  close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private open(): void {
    const source = new EventSource(this.url);
    this.source = source;
    source.addEventListener('point', ({ data }) => this.onPoint(JSON.parse(data) as Point));
    source.addEventListener('gap', ({ data }) => this.onGap(JSON.parse(data) as Gap));
    source.addEventListener('end', () => {
      this.onEnded();
      this.onBroken();
    });
    source.onerror = () => {
      // CLOSED: the server refused the stream. Anything else is a broken connection.
      const isRefused = source.readyState === EventSource.CLOSED;
      this.onBroken();
      if (isRefused) void this.readRefusal();
    };
    this.watchSilence();
  }

  private onPoint(point: Point): void {
    this.retryMs = FIRST_RETRY_MS;
    this.watchSilence();
    this.onUpdate({ status: 'live', reason: null, gapOf: null, point });
  }

  private onGap({ reason, of, notPermitted }: Gap): void {
    this.watchSilence();
    if (of === 'history') return;
    this.onUpdate({ status: notPermitted ? 'notPermitted' : 'gap', reason, gapOf: notPermitted ? null : of });
  }

  // An EventSource reconnects after some failures only, so it is always reopened here.
  private onBroken(): void {
    this.close();
    this.onUpdate({ status: 'unreachable', reason: null, gapOf: null });
    this.timer = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2);
  }

  // An EventSource does not expose a refusal's answer, so it is requested again.
  private async readRefusal(): Promise<void> {
    const response = await fetch(this.url, { cache: 'no-store' }).catch(() => null);
    if (response?.status === 401 || response?.status === 403) this.onEnded();
    if (response?.status !== 429) return response?.body?.cancel();
    const { detail = null } = (await response.json()) as { detail?: string };
    if (!this.source) this.onUpdate({ status: 'tooMany', reason: detail, gapOf: null });
  }

  private watchSilence(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onBroken(), SILENCE_MS);
  }
}
