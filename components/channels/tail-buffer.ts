import type { LiveGap, LiveMessage, LiveProgress } from '@/lib/channels/schema';

/** Messages that the page keeps. */
export const MAX_SHOWN = 500;

/** What a tail has received so far. */
export interface Tailed {
  /** Newest first. */
  messages: LiveMessage[];
  /** Newer ones that are held back until the page resumes. */
  waiting: number;
  /** Matched but not sent, since the page opened. */
  skipped: number;
  /** null until it has been measured. */
  perSecond: number | null;
  /** The last period in which messages may be missing. */
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
  /** When the last event arrived, by the server's clock. */
  private lastAt: string | null = null;
  /** When the last event of the previous stream arrived. */
  private knownUntil: string | null = null;
  private isAgain = false;
  private changed = false;

  message(message: LiveMessage): void {
    this.heardAt(message.at);
    // After a lost stream the last messages are sent again; if they begin with a known one, nothing is missing.
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
    // A gap that ended before the stream was lost has already been shown.
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
      // An open gap has certainly lasted until now; the server reports it again if it continues.
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
