import { channelContracts, type LiveGap, type LiveMessage, type LiveProgress } from '@/lib/channels/schema';
import { tailMessages } from '@/lib/channels/tail';
import type { ReadContext } from '@/lib/command/context';

/** A reader of a tail, like a browser: it may stop reading. */
export class TailReader {
  readonly messages: LiveMessage[] = [];
  readonly gaps: LiveGap[] = [];
  readonly progress: LiveProgress[] = [];
  private readonly end = new AbortController();
  private blocked: Promise<void> = Promise.resolve();
  private unblock = () => {};
  private readonly waiting = new Set<() => void>();
  readonly over: Promise<void>;

  constructor(ctx: ReadContext, raw: object) {
    const { input, result } = channelContracts.tail;
    this.over = tailMessages(ctx, input.parse(raw), {
      signal: this.end.signal,
      drained: () => this.blocked,
      send: (event, data) => {
        result.parse(data);
        if (event === 'message') this.messages.push(data as LiveMessage);
        else if (event === 'gap') this.gaps.push(data as LiveGap);
        else this.progress.push(data as LiveProgress);
        for (const check of this.waiting) check();
      },
    });
    this.over.catch(() => undefined);
  }

  /** Resolves once `isDone`; throws the error that ended the tail first. */
  async until(isDone: (reader: this) => boolean): Promise<this> {
    if (isDone(this)) return this;
    let check = () => {};
    const done = new Promise<this>((resolve) => {
      check = () => {
        if (isDone(this)) resolve(this);
      };
      this.waiting.add(check);
    });
    try {
      return await Promise.race([done, this.over.then(() => this)]);
    } finally {
      this.waiting.delete(check);
    }
  }

  /** Resolves when it is subscribed. */
  begun(): Promise<this> {
    return this.until(({ progress }) => progress.length > 0);
  }

  /** Reads nothing until the returned function is called. */
  stall(): () => void {
    this.blocked = new Promise((resolve) => {
      this.unblock = resolve;
    });
    return () => this.unblock();
  }

  get skipped(): number {
    return this.gaps.reduce((sum, { skipped }) => sum + (skipped ?? 0), 0);
  }

  get payloads(): string[] {
    return this.messages.map(({ payload }) => payload);
  }

  async close(): Promise<void> {
    this.unblock();
    this.end.abort();
    await this.over;
  }
}
