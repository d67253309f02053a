import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';

/**
 * What a collector needs to know of each key beside name, type and TTL, which are always read. `some`: of the first keys
 * of each family, of every fiftieth, and of every large one. `sample`: of the first 100 000 keys of the walk, and of one in
 * 16 of the others.
 */
export interface Wanted {
  /** `all`: as the server estimates it from five elements. `exact`: from all elements. */
  readonly memory?: 'some' | 'all' | 'exact';
  /** Bytes of a string, elements of anything else. `all` may be `some` where reading counts as use (`touching.ts`). */
  readonly lengths?: 'some' | 'sample' | 'all';
  readonly encodings?: 'sample' | 'all';
  readonly idle?: 'sample' | 'all';
}

/** Keys of one chunk, each once in a walk, and without those that vanished. Parallel arrays: there are millions of keys. */
export interface WalkedKeys {
  /** Views of the chunk's bytes: copy what is kept. */
  readonly keys: readonly Key[];
  readonly found: readonly IdentifiedKey[];
  /** As TYPE answers it. */
  readonly types: readonly string[];
  /** Remaining, ms; -1 without a TTL. */
  readonly ttls: readonly number[];
  /** Bytes; null where it was not measured. */
  readonly memory: readonly (number | null)[];
  readonly lengths: readonly (number | null)[];
  readonly encodings: readonly (string | null)[];
  /** Seconds; null where the server does not know it (an LFU policy). */
  readonly idle: readonly (number | null)[];
  /** When they were read, epoch ms. */
  readonly at: number;
  /** Why facts are missing, in words; null where nothing was refused so far, so that a missing one is of a key that is gone. */
  readonly refused: string | null;
}

/** Takes part in one walk over the keyspace. Its memory is bounded, whatever the keys are. */
export interface Collector {
  readonly wants: Wanted;
  /** The walk waits for it before the next chunk but one. */
  add(chunk: WalkedKeys): void | Promise<void>;
}
