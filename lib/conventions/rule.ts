import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import type { ChecklistId, RuleId, Severity } from './schema';

/** What a walk knows of one key. */
export interface KeyFacts {
  readonly key: Key;
  readonly found: IdentifiedKey;
  readonly type: string;
  /** Remaining, ms; -1 without a TTL. */
  readonly ttlMs: number;
  readonly memoryBytes: number | null;
  /** Bytes of a string, elements of anything else; null where it was not read. */
  readonly length: number | null;
  readonly idleSeconds: number | null;
}

/** Seconds. */
export interface Band {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/** The uses of document 004 that have a band. */
export const USES = ['hot-cache', 'cache', 'session', 'lock', 'temporary', 'null-marker'] as const;
export type Use = (typeof USES)[number];

/** A policy in force: the document's values, changed by the team's file. */
export interface Policy {
  readonly bands: Readonly<Record<Use, Band>>;
  readonly maxNameLength: number;
  readonly maxValueBytes: number;
  readonly maxElements: number;
  /** From which share of a family's keys that expire within one second. */
  readonly maxExpiringTogether: number;
  readonly prefixes: readonly string[];
  isOn(rule: RuleId, family: string | null): boolean;
  severityOf(rule: RuleId, family: string | null): Severity;
  /** The band of a family or of what its role says; null where it has none. */
  bandOf(facts: KeyFacts): Band | null;
}

interface RuleBase {
  readonly id: RuleId;
  readonly severity: Severity;
  readonly checklist: ChecklistId | null;
}

/** A rule that is decided for each key by itself. */
export interface KeyRule extends RuleBase {
  /** Whether it is about this key at all: it counts into `of`. */
  applies(facts: KeyFacts, policy: Policy): boolean;
  /** What is wrong with it, without secrets; null where nothing is. */
  faultOf(facts: KeyFacts, policy: Policy): string | null;
}
