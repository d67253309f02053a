import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { type CacheCounter, growth, knownCounters, numberIn, type Readings } from '@/lib/hit-rates/counters';
import { type HitRateSpan, joinSpans, writeSpan } from '@/lib/hit-rates/spans';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';

const EVERY_MS = 10 * SECOND;
/** A longer pause between two readings becomes a gap. */
const MAX_MS = 45 * SECOND;
/** Longer values are not counters. */
const MAX_BYTES = 32;

/** Reads the application's own counters of hits and misses and writes their growth minute by minute. */
export class CounterProbe {
  private before: { at: number; readings: Readings } | null = null;
  private span: HitRateSpan | null = null;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
  ) {}

  async tick(clock: () => number = Date.now): Promise<void> {
    const now = clock();
    if (this.before && now - this.before.at < EVERY_MS) return;
    const counters = await knownCounters(this.store, this.handle.config.id, catalogOf(this.handle));
    if (counters.length === 0) return this.pause();
    const readings = await this.read(counters);
    const { before } = this;
    this.before = { at: now, readings };
    if (!before || now - before.at > MAX_MS) return this.flush();
    const families = growth(counters, before.readings, readings);
    await this.add({
      at: now,
      seconds: (now - before.at) / SECOND,
      windows: 0,
      cutShort: 0,
      families,
      total: [0, 0],
      left: [0, 0],
      reasons: [],
    });
  }

  private async read(counters: readonly CacheCounter[]): Promise<Readings> {
    const values = await this.handle.background.getStrings(
      counters.map(({ key }) => key),
      MAX_BYTES,
    );
    const readings = new Map<string, number>();
    values.forEach((value, i) => {
      const number = value === null || value instanceof Error ? null : numberIn(value.bytes);
      if (number !== null) readings.set(counters[i]!.key.toString('latin1'), number);
    });
    return readings;
  }

  /** Adds to the current minute. A minute is written when the next one starts. */
  private async add(span: HitRateSpan): Promise<void> {
    const minute = (at: number): number => Math.floor(at / MINUTE);
    if (this.span && minute(this.span.at) !== minute(span.at)) await this.flush();
    this.span = this.span ? joinSpans(this.span, span) : span;
  }

  private async flush(): Promise<void> {
    const { span } = this;
    this.span = null;
    if (span) await writeSpan(this.store, this.handle.config.id, 'counters', span);
  }

  /** Writes the incomplete minute: another process samples now, or the server is unreachable. */
  async pause(): Promise<void> {
    this.before = null;
    await this.flush();
  }
}
