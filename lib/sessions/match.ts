import 'server-only';
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
export interface SourceChunk {
  elements: Buffer[];
  /** Where the next chunk begins; null after the last, and in a walk to the end. */
  cursor: string | null;
  /** The share of the keyspace gone through, 0–1. */
  share: number;
  /** Sessions (or keys, or entries) looked at. */
  examined: number;
}
