import 'server-only';
import type { Family, TtlPolicy } from '@/lib/catalog/family';
import type { FamilyCount } from '@/lib/history/census';
import { TtlCounts } from '@/lib/history/family-ttls';
import { SECOND } from '@/lib/time';

/** A TTL read just after it was set may be a little above it, by the clocks' difference. */
const TOLERANCE_MS = SECOND;

const maxTtlMs = (ttl: TtlPolicy): number => {
  if (typeof ttl === 'string') return Infinity;
  return ('seconds' in ttl ? ttl.seconds : ttl.maxSeconds) * SECOND + TOLERANCE_MS;
};

/** The names of each field of a hash that the catalog documents because the family's role reads it. */
const documentedFields = ({ type, parts }: Family): (readonly [string, ...string[]])[] =>
  type === 'hash'
    ? Object.values(parts).flatMap((part) =>
        'field' in part ? [[part.field, ...(part.or ?? [])] as const] : [],
      )
    : [];

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
  private readonly maxMs: number;

  constructor(family: Family) {
    this.fields = documentedFields(family);
    this.fieldNames = this.fields.flat();
    this.policy = family.ttl;
    this.maxMs = maxTtlMs(family.ttl);
  }

  addType(type: unknown): void {
    if (typeof type === 'string' && type !== 'none') this.types[type] = (this.types[type] ?? 0) + 1;
  }

  /** A reply of PTTL; -2 for a key that no longer exists. */
  addTtl(ttl: unknown): void {
    if (typeof ttl !== 'number') return;
    this.ttls.add(ttl, Date.now());
    if (ttl === -1) this.withoutTtl += 1;
    if (ttl === -2) return;
    this.drift.of += 1;
    if (ttl > this.maxMs) this.drift.longer += 1;
    else if (ttl >= 0 && this.policy === 'persistent') this.drift.unexpected += 1;
    else if (ttl === -1 && typeof this.policy === 'object') this.drift.missing += 1;
  }

  addMemory(bytes: unknown): void {
    if (typeof bytes !== 'number') return;
    this.measured += 1;
    this.measuredBytes += bytes;
  }

  /**
   * A reply of HLEN, and those of HSTRLEN for `fieldNames`. A key of another type, or an expired one, has no length.
   */
  addHash(length: unknown, lengths: readonly unknown[]): void {
    if (typeof length !== 'number' || length === 0) return;
    this.hashes += 1;
    let at = 0;
    for (const [field, ...others] of this.fields) {
      const names = lengths.slice(at, at + 1 + others.length);
      at += names.length;
      if (names.every((each) => each === 0)) this.missing[field] = (this.missing[field] ?? 0) + 1;
    }
  }

  finish(): FamilyCount {
    const { keys, withoutTtl, types, measured, measuredBytes } = this;
    return {
      ...{ keys, withoutTtl, types },
      memoryBytes: measured > 0 ? Math.round((measuredBytes / measured) * keys) : null,
      ttls: this.drift,
      ...(this.fields.length > 0 && { fields: { of: this.hashes, missing: this.missing } }),
    };
  }
}
