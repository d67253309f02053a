import 'server-only';
import type { Collector } from './collector';
import type { WalkCost, WalkPart } from './schema';

/** Participates in the next walk over the keyspace. */
export interface Participant {
  readonly part: WalkPart;
  /** Called when the walk begins, and again when it restarts because the server restarted. */
  begin(): Collector;
  /** Awaited after each chunk; 0–1. An error ends only this participant. */
  onShare?(share: number): Promise<void>;
  /**
   * Awaited after each chunk, before `onShare`, with the place from which the walk can be resumed by `from`; null
   * after the last chunk.
   */
  onPlace?(place: string | null): void | Promise<void>;
  /**
   * Resumes at a place of `onPlace`, in a separate walk. If another server process answers by then, `joinWalk` throws
   * `cursor_expired`, at the beginning or later: begin the walk again.
   */
  readonly from?: string;
  /** The share of the keyspace before `from`, as `onShare` reported it. */
  readonly shareBefore?: number;
  signal: AbortSignal;
  /** Whether a user asked for the faster pace; called before each call. */
  isFaster?(): boolean;
}

/** Participates in every walk that begins while it is due, whoever started the walk. */
export interface RegularPart {
  readonly part: WalkPart;
  isDue(): boolean | Promise<boolean>;
  begin(): Collector;
  /** Called after a complete walk. */
  done(cost: WalkCost): Promise<void>;
}
