import 'server-only';
import { z } from 'zod';
import { REMAINING, remainingBin } from '@/lib/history/family-ttls';
import { SECOND } from '@/lib/time';
import { Biggest, type BigKey, storedBigKey } from './biggest';
import { Spread, shownBins, storedSpread } from './spread';

/** Keys and their memory. */
export const total = z.object({
  keys: z.number(),
  /** The number of keys whose memory was measured, and their total. */
  measured: z.number(),
  bytes: z.number(),
});
export type Total = z.output<typeof total>;

export const newTotal = (): Total => ({ keys: 0, measured: 0, bytes: 0 });

export const addTo = (sum: Total, bytes: number | null): void => {
  sum.keys += 1;
  if (bytes === null) return;
  sum.measured += 1;
  sum.bytes += bytes;
};

/** Null where there are keys but none could be measured, because that is not permitted. */
export const memoryOf = ({ keys, measured, bytes }: Total): number | null =>
  measured === 0 && keys > 0 ? null : bytes;

/** What the walk read of one key. */
export interface ReadKey extends Omit<BigKey, 'memoryBytes'> {
  memoryBytes: number | null;
  encoding: string | null;
  /** Seconds. */
  idle: number | null;
}

const perName = z.record(z.string(), z.number());

/** The counts of a group of keys that are stored half-way. */
export const storedGroup = z.object({
  total,
  types: perName,
  encodings: perName,
  remaining: z.array(z.number()),
  minTtl: z.number().nullable(),
  maxTtl: z.number().nullable(),
  withoutTtl: z.number(),
  size: storedSpread,
  bytes: storedSpread,
  elements: storedSpread,
  idle: storedSpread,
  biggest: z.array(storedBigKey),
});
type StoredGroup = z.output<typeof storedGroup>;

const BIGGEST_OF_FAMILY = 5;
const REMAINING_SECONDS = REMAINING.map((ms) => ms / SECOND);

/** Extrapolates the counts of a sample to all `keys`; unchanged where the sample is complete. */
export const projected = (counts: Readonly<Record<string, number>>, keys: number): Record<string, number> => {
  const sampled = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, Math.round((count / sampled) * keys)]),
  );
};

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** The counts of one family, or of all keys. Its memory is independent of the number of keys. */
export class GroupCounts {
  readonly total: Total;
  withoutTtl: number;
  private readonly types: Record<string, number>;
  private readonly encodings: Record<string, number>;
  private readonly remaining: number[];
  private minTtl: number | null;
  private maxTtl: number | null;
  private readonly size: Spread;
  /** Lengths of strings (`bytes`), and of everything else (`elements`). */
  private readonly bytes: Spread;
  private readonly elements: Spread;
  private readonly idle: Spread;
  readonly biggest: Biggest;

  constructor(stored?: StoredGroup) {
    this.total = stored?.total ?? newTotal();
    this.withoutTtl = stored?.withoutTtl ?? 0;
    this.types = stored?.types ?? {};
    this.encodings = stored?.encodings ?? {};
    this.remaining = stored?.remaining ?? REMAINING.map(() => 0).concat(0);
    this.minTtl = stored?.minTtl ?? null;
    this.maxTtl = stored?.maxTtl ?? null;
    this.size = new Spread('bytes', stored?.size);
    this.bytes = new Spread('length', stored?.bytes);
    this.elements = new Spread('length', stored?.elements);
    this.idle = new Spread('idle', stored?.idle);
    this.biggest = new Biggest(BIGGEST_OF_FAMILY, stored?.biggest);
  }

  add(read: ReadKey): void {
    const { memoryBytes, length, idle } = read;
    addTo(this.total, memoryBytes);
    count(this.types, read.type);
    if (read.encoding !== null) count(this.encodings, read.encoding);
    this.addTtl(read.ttl);
    if (length !== null) (read.type === 'string' ? this.bytes : this.elements).add(length);
    if (idle !== null) this.idle.add(idle);
    if (memoryBytes === null) return;
    this.size.add(memoryBytes);
    this.biggest.add(read, memoryBytes);
  }

  private addTtl(ttl: number): void {
    if (Number.isNaN(ttl)) return;
    if (ttl < 0) {
      this.withoutTtl += 1;
      return;
    }
    this.remaining[remainingBin(ttl)]! += 1;
    if (this.minTtl === null || ttl < this.minTtl) this.minTtl = ttl;
    if (this.maxTtl === null || ttl > this.maxTtl) this.maxTtl = ttl;
  }

  /** The number of keys whose TTL could be read. */
  get ttlsRead(): number {
    return this.remaining.reduce((sum, keys) => sum + keys, this.withoutTtl);
  }

  /** The number of keys whose encoding or length was read. */
  get detailed(): number {
    const encoded = Object.values(this.encodings).reduce((sum, keys) => sum + keys, 0);
    return Math.max(encoded, this.bytes.of + this.elements.of);
  }

  finish() {
    const { keys } = this.total;
    const seconds = (ttl: number | null) => (ttl === null ? null : Math.ceil(ttl / SECOND));
    return {
      keys,
      memoryBytes: memoryOf(this.total),
      withoutTtl: keys > 0 && this.ttlsRead === 0 ? null : this.withoutTtl,
      types: this.types,
      encodings: this.encodings,
      ttl: {
        min: seconds(this.minTtl),
        max: seconds(this.maxTtl),
        histogram: shownBins(REMAINING_SECONDS, this.remaining),
      },
      size: this.size.finish(),
      idle: this.idle.finish(),
      lengths: { bytes: this.bytes.finish(), elements: this.elements.finish() },
      biggest: this.biggest.keys,
    };
  }

  stored() {
    const { types, encodings, remaining, minTtl, maxTtl, withoutTtl } = this;
    return {
      total: this.total,
      types,
      encodings,
      remaining,
      minTtl,
      maxTtl,
      withoutTtl,
      size: this.size.stored(),
      idle: this.idle.stored(),
      bytes: this.bytes.stored(),
      elements: this.elements.stored(),
      biggest: this.biggest.stored(),
    };
  }
}
