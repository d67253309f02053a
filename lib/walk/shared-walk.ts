import 'server-only';
import { processWide } from '@/lib/process-wide';
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

/** The walks of one connection in this process, one after the other. */
class Walks {
  readonly regular = new Set<RegularPart>();
  private readonly waiting: Seat[] = [];
  /** Those who wait for a walk of the regular parts that are due, if any. */
  private watchers: Watcher[] = [];
  private isWalking = false;
  private readonly handle: ConnectionHandle;

  constructor(handle: ConnectionHandle) {
    this.handle = handle;
  }

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
    // Whoever asks at the same time takes part.
    await Promise.resolve();
    while (this.waiting.length + this.watchers.length > 0) {
      // Regular parts take no part in a walk that resumes: who waits for them waits for the next.
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
   * Who takes part in the next walk: everyone waiting, and regular parts that are due; or one that resumes. One that comes
   * to resume while parts are asked waits for its own walk.
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

/** A part that cannot tell, because the store is unavailable, is due later. */
const isDue = async (part: RegularPart): Promise<boolean> => {
  try {
    return await part.isDue();
  } catch {
    return false;
  }
};

const walks = processWide('walks', () => new WeakMap<ConnectionHandle, Walks>());

const walksOf = (handle: ConnectionHandle): Walks => {
  const all = walks();
  let found = all.get(handle);
  if (!found) {
    found = new Walks(handle);
    all.set(handle, found);
  }
  return found;
};

/**
 * Joins the next walk over the keyspace, and starts it where none is waiting: walks of one connection never run side by
 * side. Resolves with what the walk cost, when it was complete. Throws what the participant threw, its abort, or 503 where
 * the server was lost more often than a walk is repeated.
 */
export const joinWalk = (handle: ConnectionHandle, participant: Participant): Promise<WalkCost> =>
  new Promise((resolve, reject) => {
    walksOf(handle).join(Seat.ofParticipant(participant, resolve, reject));
  });

/**
 * Starts a walk for the regular parts that are due, after the one that runs. Resolves when it ended, and without a walk
 * where none is due. Throws what one of them threw.
 */
export const walkIfDue = (handle: ConnectionHandle): Promise<void> =>
  new Promise((resolve, reject) => {
    walksOf(handle).watch({ resolve, reject });
  });

/** Registers what takes part in the connection's walks by itself. Returns the function that ends it. */
export const takePartAlways = (handle: ConnectionHandle, part: RegularPart): (() => void) => {
  const { regular } = walksOf(handle);
  regular.add(part);
  return () => void regular.delete(part);
};
