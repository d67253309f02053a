import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';

export interface Migration {
  /** The version of the schema that the store has afterwards: one more than before. */
  to: number;
  /** For the log and the audit log: "…". */
  what: string;
  /**
   * Changes the stored data in batches (`keysOf`), so that no call is long. It may be interrupted and then runs again from
   * its beginning: what it has changed before must not be changed twice.
   */
  migrate(store: Store): Promise<void>;
}

/**
 * How to reach each version of the schema, in order. Add one only where an older console would misread or damage what
 * this one writes: it refuses every change then. A new key, and a new field that others ignore, need none.
 */
const MIGRATIONS: readonly Migration[] = [
  { to: 1, what: 'the store gets a version', migrate: async () => undefined },
];

/** Tests put another list here. */
export const migrations = processWide('migrations', () => MIGRATIONS);

/** The version of the schema that this console reads and writes. */
export const knownVersion = (): number => migrations().at(-1)!.to;
