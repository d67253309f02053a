import 'server-only';
import type { Levels } from './levels';
import type { LimitsState } from './schema';

/** Where limits come from. What was once read stays until it can be read again. */
export interface LimitsSource {
  kind: LimitsState['source'];
  /** Looks whether there is something newer, as seldom as the source allows, and reads it. Never rejects. */
  refresh(): Promise<void>;
  levels(): Levels;
  /** Changes whenever `levels` does. */
  version(): number;
  /** How it stands; `at` in epoch ms. */
  status(): Pick<LimitsState, 'status' | 'stale' | 'problems'> & { at: number | null };
  close(): Promise<void>;
}
