import 'server-only';

/**
 * Works one after another in the background, at most `most` of them begun or waiting: above it whoever adds one waits.
 * After a failure no further one is begun, and the failure is thrown to who adds or waits for the end.
 */
export class InTurn {
  private readonly most: number;
  private readonly waiting: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();

  constructor(most: number) {
    this.most = most;
  }

  async add(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work);
    this.last.catch(() => undefined);
    this.waiting.push(this.last);
    if (this.waiting.length > this.most) await this.waiting.shift();
  }

  /** When all are over, whether they failed or not. */
  async settled(): Promise<void> {
    await this.last.catch(() => undefined);
  }

  async end(): Promise<void> {
    await this.last;
  }
}
