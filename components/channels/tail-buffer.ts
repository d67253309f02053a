import type { LiveGap, LiveMessage, LiveProgress } from '@/lib/channels/schema';

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
  /** null until it was measured. */
  perSecond: number | null;
  /** The last time that messages may be missing of. */
  lost: Lost | null;
}

/** `isOwn`: the stream to the browser was lost, not the connection to Redis. */
export interface Lost extends Pick<LiveGap, 'since' | 'until'> {
  isOwn: boolean;
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
  private lost: Lost | null = null;
  /** When the last event came, by the server's clock. */
  private lastAt: string | null = null;
  /** When the last event of the stream before came. */
  private knownUntil: string | null = null;
  private isAgain = false;
  private changed = false;

  message(message: LiveMessage): void {
    this.heardAt(message.at);
    // After a lost stream the last messages are sent again: nothing is missing where they begin with one that was shown.
    if (this.ids.has(message.id)) {
      if (this.lost?.isOwn) this.dismiss();
      return;
    }
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
    this.changed = true;
    if (gap.skipped !== null) {
      this.skipped += gap.skipped;
      return;
    }
    // One that was over before the stream was lost was shown then.
    const isKnown = gap.until !== null && this.knownUntil !== null && gap.until <= this.knownUntil;
    if (!isKnown) this.lost = { since: gap.since, until: gap.until, isOwn: false };
  }

  private heardAt(at: string): void {
    if (this.lastAt === null || at > this.lastAt) this.lastAt = at;
  }

  /** A stream begins. */
  begin(): void {
    this.knownUntil = this.lastAt;
    this.isAgain = this.lastAt !== null;
  }

  progress({ at, messagesPerSecond }: LiveProgress): void {
    if (this.isAgain) {
      // A gap that was open is certain to last until now; the server tells it again if it still does.
      const isOpen = this.lost !== null && this.lost.until === null;
      this.lost = { since: this.lastAt, isOwn: true, ...(isOpen && this.lost), until: at };
      this.changed = true;
    }
    this.isAgain = false;
    this.heardAt(at);
    this.changed ||= this.perSecond !== messagesPerSecond;
    this.perSecond = messagesPerSecond;
  }

  /** The reader has seen that messages may be missing. */
  dismiss(): void {
    this.lost = null;
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
