import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { MINUTE, SECOND } from '@/lib/time';
import type { Policy } from './rule';

/** Fewer keys may share a second by chance. */
const MIN_KEYS = 20;
/** Keys with a shorter remaining time cannot be spread. */
const MIN_LEFT_MS = MINUTE;
/**
 * Seconds counted per family. If there are more, only a second with more than this fraction of the keys is certain to
 * be found.
 */
const MAX_SECONDS = 4096;
/**
 * Longer names are no examples, and the bytes of all names are limited, because anybody may write names of a megabyte.
 */
const MAX_NAME_BYTES = 1024;
const MAX_NAMES_BYTES = 8 * 2 ** 20;

interface Bucket {
  keys: number;
  sample: Key | null;
}

/** Keys of a family that expire within one second. */
export interface SharedSecond {
  /** Epoch seconds. */
  readonly second: number;
  readonly keys: number;
  /** Null where no name was kept. */
  readonly sample: Key | null;
}

/** The example names retained by all families together. */
class Names {
  private bytes = 0;

  copy(key: Key): Key | null {
    if (key.length > MAX_NAME_BYTES || this.bytes + key.length > MAX_NAMES_BYTES) return null;
    this.bytes += key.length;
    return Buffer.from(key);
  }

  free(key: Key | null): void {
    this.bytes -= key?.length ?? 0;
  }
}

/** When the keys of one family expire, in bounded memory (Misra-Gries). */
class FamilyExpiry {
  of = 0;
  /** Whether every second was counted: otherwise the counts are lower bounds. */
  isExact = true;
  private readonly seconds = new Map<number, Bucket>();

  constructor(private readonly names: Names) {}

  add(key: Key, second: number): void {
    this.of += 1;
    const bucket = this.seconds.get(second);
    if (bucket) bucket.keys += 1;
    else if (this.seconds.size < MAX_SECONDS)
      this.seconds.set(second, { keys: 1, sample: this.names.copy(key) });
    else this.dropOne();
  }

  private dropOne(): void {
    this.isExact = false;
    for (const [at, one] of this.seconds) {
      one.keys -= 1;
      if (one.keys > 0) continue;
      this.names.free(one.sample);
      this.seconds.delete(at);
    }
  }

  sharedBy(share: number): SharedSecond[] {
    if (this.of < MIN_KEYS) return [];
    return [...this.seconds]
      .filter(([, { keys }]) => keys > share * this.of && keys > 1)
      .map(([second, { keys, sample }]) => ({ second, keys, sample }));
  }
}

/** Counts for `ttl-jitter`: when keys expire, per family. */
export class ExpiryCounts {
  private readonly names = new Names();
  private readonly families = new Map<string | null, FamilyExpiry>();

  /** Whether the key was counted: a key with less than a minute left is not. */
  add(family: string | null, key: Key, ttlMs: number, at: number): boolean {
    if (ttlMs < MIN_LEFT_MS) return false;
    let counts = this.families.get(family);
    if (!counts) {
      counts = new FamilyExpiry(this.names);
      this.families.set(family, counts);
    }
    counts.add(key, Math.floor((at + ttlMs) / SECOND));
    return true;
  }

  /** The seconds in which too large a share of a family's keys expires. Counts are lower bounds unless `isExact`. */
  shared({ maxExpiringTogether }: Pick<Policy, 'maxExpiringTogether'>): {
    family: string | null;
    of: number;
    isExact: boolean;
    seconds: SharedSecond[];
  }[] {
    return [...this.families]
      .map(([family, counts]) => {
        const { of, isExact } = counts;
        return { family, of, isExact, seconds: counts.sharedBy(maxExpiringTogether) };
      })
      .filter(({ seconds }) => seconds.length > 0);
  }
}
