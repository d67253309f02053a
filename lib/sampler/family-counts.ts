import 'server-only';
import type { FamilyCount } from '@/lib/history/census';
import { TtlCounts } from '@/lib/history/family-ttls';
import { documentedFields, ttlFault } from '@/lib/keyspace/drift-rules';
import type { Family, TtlPolicy } from '@/lib/keyspace/family';

/** The keys of one family, counted during a census. */
export class FamilyCounts {
  keys = 0;
  readonly ttls = new TtlCounts();
  /** Names of fields, read from a sample of hashes only. */
  readonly fieldNames: readonly string[];
  private readonly fields: readonly (readonly [string, ...string[]])[];
  private readonly types: Record<string, number> = {};
  private readonly drift = { of: 0, missing: 0, longer: 0, unexpected: 0 };
  private readonly missing: Record<string, number> = {};
  private hashes = 0;
  private withoutTtl = 0;
  private measured = 0;
  private measuredBytes = 0;
  private readonly policy: TtlPolicy;

  constructor(family: Family) {
    this.fields = documentedFields(family).map(({ names }) => names);
    this.fieldNames = this.fields.flat();
    this.policy = family.ttl;
  }

  /** `type` is '' where it could not be read. */
  addType(type: string): void {
    if (type !== '') this.types[type] = (this.types[type] ?? 0) + 1;
  }

  /** The time remaining at `at`, ms; -1 without a TTL, NaN where it could not be read. */
  addTtl(ttl: number, at: number): void {
    if (Number.isNaN(ttl)) return;
    this.ttls.add(ttl, at);
    if (ttl === -1) this.withoutTtl += 1;
    this.drift.of += 1;
    const fault = ttlFault(this.policy, ttl === -1 ? null : ttl);
    if (fault) this.drift[fault] += 1;
  }

  addMemory(bytes: number): void {
    this.measured += 1;
    this.measuredBytes += bytes;
  }

  /**
   * The reply of HLEN, and those of HSTRLEN for `fieldNames`. A key of another type, or an expired one, has no length.
   */
  addHash(length: unknown, lengths: readonly unknown[]): void {
    if (typeof length !== 'number' || length === 0) return;
    this.hashes += 1;
    let at = 0;
    for (const [field, ...others] of this.fields) {
      const names = lengths.slice(at, at + 1 + others.length);
      at += names.length;
      if (names.every((length) => length === 0)) this.missing[field] = (this.missing[field] ?? 0) + 1;
    }
  }

  finish(): FamilyCount {
    const { keys, withoutTtl, types, measured, measuredBytes } = this;
    return {
      keys,
      withoutTtl,
      types,
      memoryBytes: measured > 0 ? Math.round((measuredBytes / measured) * keys) : null,
      ttls: this.drift,
      ...(this.fields.length > 0 && { fields: { of: this.hashes, missing: this.missing } }),
    };
  }
}
