import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import type { ChecklistId, RuleId, Severity } from './schema';

/** The facts a walk knows about one key. */
export interface KeyFacts {
  readonly key: Key;
  readonly found: IdentifiedKey;
  /** Empty where our user may not read it. */
  readonly type: string;
  /** Remaining time, ms; -1 without a TTL, NaN where our user may not read it. */
  readonly ttlMs: number;
  readonly memoryBytes: number | null;
  /** Bytes of a string, otherwise number of elements; null where it was not read. */
  readonly length: number | null;
  readonly idleSeconds: number | null;
  /** What was read of the value, because a rule needs it (`looks.ts`); null otherwise. */
  readonly look: Look | null;
}

/** What rules see of a value. Never stored and never shown. */
export interface Look {
  /** A complete short string, or a lock's owner. */
  readonly text: Buffer | null;
  /** Secrets in the clear, by place and kind: `field password`, `value: a JWT`. */
  readonly secrets: readonly string[];
  /** For an index of a user's sessions: none of them is stored. */
  readonly isDangling: boolean;
}

/** Seconds. */
export interface Band {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

export const USES = ['hot-cache', 'cache', 'session', 'lock', 'temporary', 'null-marker'] as const;
export type Use = (typeof USES)[number];

/** The limits above which connections violate a rule. */
export interface ServerLimits {
  /** Clients as a share of the server's limit; 0–1. */
  readonly maxConnectionShare: number;
  readonly idleSeconds: number;
  /** Idle clients as a share of all; 0–1. */
  readonly maxIdleShare: number;
  /** Clients waiting in a blocking command, as a share of all; 0–1. */
  readonly maxBlockedShare: number;
}

/** A policy in force: the defaults, changed by the team's file. */
export interface Policy {
  readonly bands: Readonly<Record<Use, Band>>;
  readonly maxNameLength: number;
  readonly maxValueBytes: number;
  readonly maxElements: number;
  /** The share of a family's keys expiring within one second from which the rule is violated. */
  readonly maxExpiringTogether: number;
  /** The policy's own prefixes; `isKnownPrefix` also accepts the default ones and the catalog's. */
  readonly prefixes: readonly string[];
  readonly limits: ServerLimits;
  isKnownPrefix(prefix: string): boolean;
  /** Whether the catalog or the policy declares that a key needs no TTL. */
  mayPersist(facts: KeyFacts): boolean;
  purposeOf(facts: KeyFacts): Use | null;
  isOn(rule: RuleId, family: string | null): boolean;
  severityOf(rule: RuleId, family: string | null): Severity;
  /** The band of a family, or of its role's use; null without one. */
  bandOf(facts: KeyFacts): Band | null;
}

interface RuleBase {
  readonly id: RuleId;
  readonly severity: Severity;
  readonly checklist: ChecklistId | null;
}

/** A rule that is decided per key. */
export interface KeyRule extends RuleBase {
  /** Whether the rule applies to this key, or may apply, if the fact is unread. */
  applies(facts: KeyFacts, policy: Policy): boolean;
  /** Whether a deciding fact is missing: the key is neither right nor wrong and not counted in `of`. */
  isUnread(facts: KeyFacts, policy: Policy): boolean;
  /** How the key violates the rule, without secrets; null where it does not. */
  faultOf(facts: KeyFacts, policy: Policy): string | null;
}
