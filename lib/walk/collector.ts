import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';

/**
 * What a collector needs about each key, apart from name, type and TTL, which are always read. `some`: for the first
 * keys of each family, every fiftieth, and every large one. `sample`: for the first 100 000 keys of the walk, and one
 * in 16 of the others.
 */
export interface Wanted {
  /** `all`: estimated by the server from five elements. `exact`: from all elements. */
  readonly memory?: 'some' | 'all' | 'exact';
  /**
   * Bytes of a string, number of elements otherwise. `all` may become `some` where reading counts as use
   * (`touching.ts`).
   */
  readonly lengths?: 'some' | 'sample' | 'all';
  readonly encodings?: 'sample' | 'all';
  readonly idle?: 'sample' | 'all';
}

/**
 * Keys of one chunk, each once per walk, without those that vanished. Parallel arrays, because there are millions of
 * keys.
 */
export interface WalkedKeys {
  /** Views of the chunk's bytes: copy what outlives it. */
  readonly keys: readonly Key[];
  readonly found: readonly IdentifiedKey[];
  /** The reply of TYPE. */
  readonly types: readonly string[];
  /** Remaining time, ms; -1 without a TTL. */
  readonly ttls: readonly number[];
  /** Bytes; null where it was not measured. */
  readonly memory: readonly (number | null)[];
  readonly lengths: readonly (number | null)[];
  readonly encodings: readonly (string | null)[];
  /** Seconds; null where the server does not measure it (an LFU policy). */
  readonly idle: readonly (number | null)[];
  /** When they were read, epoch ms. */
  readonly at: number;
  /**
   * Why facts are missing, as a sentence; null where nothing was refused so far, so that a missing fact means a
   * vanished key.
   */
  readonly refused: string | null;
}

/** Participates in one walk over the keyspace. Its memory is bounded, whatever the keys are. */
export interface Collector {
  readonly wants: Wanted;
  /** While it runs, the walk reads at most one further chunk. */
  add(chunk: WalkedKeys): void | Promise<void>;
}
