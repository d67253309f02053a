import 'server-only';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import type { ChecklistId, RuleId, Severity } from './schema';

/** What a walk knows of one key. */
export interface KeyFacts {
  readonly key: Key;
  readonly found: IdentifiedKey;
  /** Empty where our user may not read it. */
  readonly type: string;
  /** Remaining, ms; -1 without a TTL, NaN where our user may not read it. */
  readonly ttlMs: number;
  readonly memoryBytes: number | null;
  /** Bytes of a string, elements of anything else; null where it was not read. */
  readonly length: number | null;
  readonly idleSeconds: number | null;
  /** What was read of the value, because a rule asked for it (`facts.ts`); null where nothing was. */
  readonly look: Look | null;
}

/** What rules see of a value. It is never stored and never shown. */
export interface Look {
  /** A complete short string, or the owner of a lock. */
  readonly text: Buffer | null;
  /** Secrets in the clear, by place and kind: `field password`, `value: a JWT`. */
  readonly secrets: readonly string[];
  /** Of the index of a user's sessions: none of them is stored. */
  readonly isDangling: boolean;
}

/** Seconds. */
export interface Band {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/** The uses of document 004 that have a band. */
export const USES = ['hot-cache', 'cache', 'session', 'lock', 'temporary', 'null-marker'] as const;
export type Use = (typeof USES)[number];

/** When the use of connections is a violation. */
export interface ServerLimits {
  /** Clients, of the server's limit; 0–1. */
  readonly maxConnectionShare: number;
  readonly idleSeconds: number;
  /** Idle clients, of all; 0–1. */
  readonly maxIdleShare: number;
  /** Clients waiting in a blocking command, of all; 0–1. */
  readonly maxBlockedShare: number;
}

/** A policy in force: the document's values, changed by the team's file. */
export interface Policy {
  readonly bands: Readonly<Record<Use, Band>>;
  readonly maxNameLength: number;
  readonly maxValueBytes: number;
  readonly maxElements: number;
  /** From which share of a family's keys that expire within one second. */
  readonly maxExpiringTogether: number;
  /** The policy's own; `isKnownPrefix` knows those of the document and the catalog too. */
  readonly prefixes: readonly string[];
  readonly limits: ServerLimits;
  isKnownPrefix(prefix: string): boolean;
  /** Whether a key needs no TTL: as its catalog or the policy declares. */
  mayPersist(facts: KeyFacts): boolean;
  purposeOf(facts: KeyFacts): Use | null;
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
  /** Whether it is about this key at all, or may be, where that could not be read. */
  applies(facts: KeyFacts, policy: Policy): boolean;
  /** Whether what decides it is missing: the key is neither right nor wrong, and does not count into `of`. */
  isUnread(facts: KeyFacts, policy: Policy): boolean;
  /** What is wrong with it, without secrets; null where nothing is. */
  faultOf(facts: KeyFacts, policy: Policy): string | null;
}
