import 'server-only';
import { processWidePer } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Participant, RegularPart } from './participant';
import type { WalkCost } from './schema';
import { Seat } from './seat';
import { Walk } from './walk';

export type { Participant, RegularPart } from './participant';

interface Watcher {
  resolve(): void;
  reject(error: unknown): void;
}

/** The walks of one connection in this process, which run one after the other. */
class Walks {
  readonly regular = new Set<RegularPart>();
  private readonly waiting: Seat[] = [];
  /** Callers of `walkIfDue`, who wait for the regular participants. */
  private watchers: Watcher[] = [];
  private isWalking = false;

  constructor(private readonly handle: ConnectionHandle) {}

  join(seat: Seat): void {
    this.waiting.push(seat);
    this.start();
  }

  watch(watcher: Watcher): void {
    this.watchers.push(watcher);
    this.start();
  }

  private start(): void {
    if (!this.isWalking) void this.walkAll();
  }

  private async walkAll(): Promise<void> {
    this.isWalking = true;
    // Requests of the same moment share the walk.
    await Promise.resolve();
    while (this.waiting.length + this.watchers.length > 0) {
      // A resumed walk skips the regular participants; they run in the next walk.
      const isResuming = this.waiting.some(({ from }) => from !== undefined);
      const watchers = isResuming ? [] : this.watchers.splice(0);
      const seats = await this.take();
      await new Walk(this.handle, seats).run();
      const failed = seats.find(({ isRegular, failure }) => isRegular && failure !== null);
      for (const { resolve, reject } of watchers) failed ? reject(failed.failure!.error) : resolve();
    }
    this.isWalking = false;
  }

  /**
   * The seats of the next walk: everyone waiting and the regular parts that are due, or one that resumes. A request to
   * resume that arrives meanwhile waits for a separate walk.
   */
  private async take(): Promise<Seat[]> {
    const resumed = this.waiting.findIndex(({ from }) => from !== undefined);
    if (resumed >= 0) return this.waiting.splice(resumed, 1);
    const due: Seat[] = [];
    for (const part of this.regular) {
      if (await isDue(part)) due.push(Seat.ofRegular(part, () => this.regular.has(part)));
    }
    const joining = this.waiting.filter(({ from }) => from === undefined);
    for (const seat of joining) this.waiting.splice(this.waiting.indexOf(seat), 1);
    return [...joining, ...due];
  }
}

/** A part whose stored state is unavailable counts as not due. */
const isDue = async (part: RegularPart): Promise<boolean> => {
  try {
    return await part.isDue();
  } catch {
    return false;
  }
};

const walksOf = processWidePer('walks', (handle: ConnectionHandle) => new Walks(handle));

/**
 * Joins the next walk over the keyspace, and starts it where none is waiting: walks of one connection never run in
 * parallel. Resolves with the cost of the complete walk. Throws the participant's error, its abort, or 503 where the
 * server was lost more often than a walk is repeated.
 */
export const joinWalk = (handle: ConnectionHandle, participant: Participant): Promise<WalkCost> =>
  new Promise((resolve, reject) => {
    walksOf(handle).join(Seat.ofParticipant(participant, resolve, reject));
  });

/**
 * Starts a walk for the regular parts that are due, after the running one. Resolves when it has ended, or without a
 * walk where none is due. Throws the error of a part.
 */
export const walkIfDue = (handle: ConnectionHandle): Promise<void> =>
  new Promise((resolve, reject) => {
    walksOf(handle).watch({ resolve, reject });
  });

/** Registers a regular participant of the connection's walks. Returns the function that removes it. */
export const takePartAlways = (handle: ConnectionHandle, part: RegularPart): (() => void) => {
  const { regular } = walksOf(handle);
  regular.add(part);
  return () => void regular.delete(part);
};
