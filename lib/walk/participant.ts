import 'server-only';
import type { Collector } from './collector';
import type { WalkCost, WalkPart } from './schema';

/** Takes part in the next walk over the keyspace. */
export interface Participant {
  readonly part: WalkPart;
  /** Called when the walk begins, and again when it starts over because the server restarted. */
  begin(): Collector;
  /** Awaited after each chunk; 0–1. What it throws ends this participant only. */
  onShare?(share: number): Promise<void>;
  /**
   * Awaited after each chunk, before `onShare`: from there the walk can be resumed by `from`; null after the last chunk.
   */
  onPlace?(place: string | null): void | Promise<void>;
  /**
   * Resumes at a place of `onPlace`, in a walk of its own. Where the server is another process by now, `joinWalk` throws
   * `cursor_expired`, at the beginning or later: the walk is to be begun again.
   */
  readonly from?: string;
  /** The share of the keyspace before `from`, as `onShare` reported it. */
  readonly shareBefore?: number;
  signal: AbortSignal;
  /** Whether a user asked for the faster pace; looked at before each call. */
  isFaster?(): boolean;
}

/** Takes part in each walk that begins while it is due, whoever asked for the walk. */
export interface RegularPart {
  readonly part: WalkPart;
  isDue(): boolean | Promise<boolean>;
  begin(): Collector;
  /** After a walk that was complete. */
  done(cost: WalkCost): Promise<void>;
}
