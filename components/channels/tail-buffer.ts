import type { LiveGap, LiveMessage, LiveProgress } from '@/lib/live/schema';

/** Messages that the page keeps. */
export const MAX_SHOWN = 500;

/** What a tail has brought so far. */
export interface Tailed {
  /** Newest first. */
  messages: LiveMessage[];
  /** Newer ones that wait until the page is resumed. */
  waiting: number;
  /** Matched and not sent, since the page began. */
  skipped: number;
  /** null until the tail has begun. */
  perSecond: number | null;
  /** The last time without a connection to Redis. */
  lost: LiveGap | null;
}

export const NOTHING: Tailed = { messages: [], waiting: 0, skipped: 0, perSecond: null, lost: null };

/** Collects events as fast as they arrive: rendering takes what there is, a few times a second. */
export class TailBuffer {
  private shown: LiveMessage[] = [];
  private fresh: LiveMessage[] = [];
  private arrived = 0;
  private ids = new Set<string>();
  private skipped = 0;
  private perSecond: number | null = null;
  private lost: LiveGap | null = null;
  private changed = false;

  message(message: LiveMessage): void {
    // After a lost stream the last messages are sent again.
    if (this.ids.has(message.id)) return;
    this.ids.add(message.id);
    this.fresh.push(message);
    this.arrived += 1;
    this.changed = true;
    if (this.fresh.length <= 2 * MAX_SHOWN) return;
    this.fresh.splice(0, this.fresh.length - MAX_SHOWN);
    this.remember();
  }

  /** Forgets the ids of messages that are no longer kept. */
  private remember(): void {
    this.ids = new Set([...this.shown, ...this.fresh].map(({ id }) => id));
  }

  gap(gap: LiveGap): void {
    if (gap.skipped === null) this.lost = gap;
    else this.skipped += gap.skipped;
    this.changed = true;
  }

  progress({ messagesPerSecond }: LiveProgress): void {
    this.changed ||= this.perSecond !== messagesPerSecond;
    this.perSecond = messagesPerSecond;
  }

  clear(): void {
    this.shown = [];
    this.fresh = [];
    this.arrived = 0;
    this.skipped = 0;
    this.changed = true;
  }

  /** What to show; null while nothing has changed. While paused no message is added. */
  take(isPaused: boolean): Tailed | null {
    if (!this.changed && (isPaused || this.fresh.length === 0)) return null;
    this.changed = false;
    if (!isPaused && this.fresh.length > 0) {
      this.shown = [...this.fresh.reverse(), ...this.shown].slice(0, MAX_SHOWN);
      this.fresh = [];
      this.arrived = 0;
      this.remember();
    }
    const { shown: messages, arrived: waiting, skipped, perSecond, lost } = this;
    return { messages, waiting, skipped, perSecond, lost };
  }
}
