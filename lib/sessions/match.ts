import 'server-only';
import type { ScanPlace } from '@/lib/redis/scan';
import type { LegacyKey, SessionKey } from './keys';
import type { Session } from './schema';

/** A session that passed a filter, with what is ended when it is revoked; keys stay in memory. */
export interface Match {
  key: SessionKey;
  /** The key in the deprecated format, where that is what was found. */
  legacy: LegacyKey | null;
  session: Session;
}

/** What one call of a scan found. */
export interface SourceChunk extends ScanPlace {
  elements: Buffer[];
  /** Sessions (or keys, or entries) looked at. */
  examined: number;
}
