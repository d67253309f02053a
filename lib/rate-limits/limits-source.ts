import 'server-only';
import type { Levels } from './levels';
import type { LimitsState } from './schema';

/** Where limits come from. While the source is unreadable the last known limits stay. */
export interface LimitsSource {
  kind: LimitsState['source'];
  /** Reads newer limits if the source may have some. Never rejects. */
  refresh(): Promise<void>;
  levels(): Levels;
  /** Changes whenever `levels` does. */
  version(): number;
  /** `at`: when the limits were read, epoch ms. */
  status(): Pick<LimitsState, 'status' | 'stale' | 'problems'> & { at: number | null };
  close(): Promise<void>;
}
