import 'server-only';
import { Problem } from '@/lib/errors';
import type { Collector, WalkedKeys, Wanted } from './collector';
import type { Participant, RegularPart } from './participant';
import type { WalkCost, WalkPart } from './schema';

interface Member {
  part: WalkPart;
  from?: string | undefined;
  shareBefore?: number | undefined;
  begin(): Collector;
  report(place: string | null, share: number): Promise<void>;
  /** Whether it still participates. */
  stays(): boolean;
  isFaster?(): boolean;
  end(cost: WalkCost): void | Promise<void>;
  fail(error: unknown): void;
}

/** The server was lost: the walk restarts for everyone. */
const isLossOf = (error: unknown, connection: string): boolean =>
  error instanceof Problem &&
  (error.code === 'unreachable' || error.code === 'loading') &&
  error.extensions.connection === connection;

/** One participant of a walk; it leaves when it fails or aborts. */
export class Seat {
  onLeave: () => void = () => undefined;
  private hasLeft = false;
  private collector: Collector | null = null;

  /** Why it left. */
  failure: { error: unknown } | null = null;

  private constructor(
    private readonly member: Member,
    readonly isRegular = false,
  ) {}

  static ofParticipant(
    participant: Participant,
    resolve: (cost: WalkCost) => void,
    reject: (error: unknown) => void,
  ): Seat {
    const { part, from, shareBefore, signal } = participant;
    const abort = () => seat.leave(signal.reason);
    const seat = new Seat({
      part,
      from,
      shareBefore,
      begin: () => participant.begin(),
      isFaster: () => participant.isFaster?.() ?? false,
      stays: () => !signal.aborted,
      report: async (place, share) => {
        await participant.onPlace?.(place);
        await participant.onShare?.(share);
      },
      end: (cost) => {
        signal.removeEventListener('abort', abort);
        resolve(cost);
      },
      fail: (error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return seat;
  }

  /** `stays`: whether the part is still registered. */
  static ofRegular(regular: RegularPart, stays: () => boolean): Seat {
    return new Seat(
      {
        part: regular.part,
        begin: () => regular.begin(),
        report: () => Promise.resolve(),
        stays,
        end: (cost) => regular.done(cost),
        fail: () => undefined,
      },
      true,
    );
  }

  get part(): WalkPart {
    return this.member.part;
  }

  get from(): string | undefined {
    return this.member.from;
  }

  get shareBefore(): number | undefined {
    return this.member.shareBefore;
  }

  get isPresent(): boolean {
    return !this.hasLeft && this.member.stays();
  }

  get wants(): Wanted | undefined {
    return this.collector?.wants;
  }

  get isFaster(): boolean {
    return this.member.isFaster?.() ?? false;
  }

  leave(error: unknown): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.collector = null;
    this.failure = { error };
    this.member.fail(error);
    this.onLeave();
  }

  begin(): void {
    try {
      this.collector = this.member.begin();
    } catch (error) {
      this.leave(error);
    }
  }

  /** `connection`: if its server is lost, the error is thrown, and the walk repeats. */
  async add(chunk: WalkedKeys, connection: string): Promise<void> {
    try {
      await this.collector?.add(chunk);
    } catch (error) {
      if (isLossOf(error, connection)) throw error;
      this.leave(error);
    }
  }

  async report(place: string | null, share: number, connection: string): Promise<void> {
    try {
      if (this.isPresent) await this.member.report(place, share);
    } catch (error) {
      if (isLossOf(error, connection)) throw error;
      this.leave(error);
    }
  }

  /** Called after a complete walk. */
  async end(cost: WalkCost): Promise<void> {
    try {
      await this.member.end(cost);
      this.hasLeft = true;
    } catch (error) {
      this.leave(error);
    }
  }
}
