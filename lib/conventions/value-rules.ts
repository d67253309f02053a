import 'server-only';
import { SECOND } from '@/lib/time';
import { isFlag } from '@/lib/values/lock-owner';
import { keyRule } from './name-rules';
import type { KeyFacts, KeyRule, Policy } from './rule';
import { suitableTypes } from './use';

export const NO_TTL = -1;
/** TTLs are set in whole seconds, and the clock advances while they are read. */
const TOLERANCE_MS = SECOND;

/** The value by which applications cache that a record does not exist (negative caching). */
export const NULL_MARKER = Buffer.from('NULL');

export const isLock = (facts: KeyFacts, policy: Policy): boolean => policy.purposeOf(facts) === 'lock';

const mayBeCached = (facts: KeyFacts, policy: Policy): boolean =>
  ['cache', 'hot-cache'].includes(policy.purposeOf(facts) ?? '');

export const mayBeNullMarker = (facts: KeyFacts, policy: Policy): boolean =>
  facts.type === 'string' && facts.length === NULL_MARKER.length && mayBeCached(facts, policy);

const isNullMarker = (facts: KeyFacts, policy: Policy): boolean =>
  mayBeNullMarker(facts, policy) && !!facts.look?.text?.equals(NULL_MARKER);

const seconds = (ms: number): string => `${Math.round(ms / SECOND)} s`;

const overBand = (facts: KeyFacts, maxSeconds: number): string | null =>
  facts.ttlMs > maxSeconds * SECOND + TOLERANCE_MS
    ? `${seconds(facts.ttlMs)} left, at most ${maxSeconds} s`
    : null;

const hasNoType = ({ type }: KeyFacts): boolean => type === '';
const hasNoTtl = ({ ttlMs }: KeyFacts): boolean => Number.isNaN(ttlMs);

const isCollection = ({ type }: KeyFacts): boolean =>
  ['list', 'set', 'zset', 'hash', 'stream'].includes(type);

/** A string, or a key that may be one, whose deciding length is missing. */
const isUnreadString = (facts: KeyFacts): boolean =>
  hasNoType(facts) || (facts.type === 'string' && facts.length === null);

/** An upper bound: a string whose length was not read is no longer than its memory. */
const bytesOf = ({ type, length, memoryBytes }: KeyFacts): number | null =>
  type === 'string' && length !== null ? length : memoryBytes;

/** An upper bound of the elements: each takes at least two bytes, whatever its encoding. */
const mostElements = ({ length, memoryBytes }: KeyFacts): number =>
  length ?? (memoryBytes === null ? Number.POSITIVE_INFINITY : memoryBytes / 2);

export const VALUE_RULES: readonly KeyRule[] = [
  keyRule(
    'ttl-required',
    (facts, policy) => !policy.mayPersist(facts),
    ({ ttlMs }) => (ttlMs === NO_TTL ? 'it never expires' : null),
    hasNoTtl,
  ),
  keyRule(
    'ttl-band',
    (facts, policy) => facts.ttlMs !== NO_TTL && policy.bandOf(facts) !== null,
    (facts, policy) => overBand(facts, policy.bandOf(facts)!.maxSeconds),
    hasNoTtl,
  ),
  keyRule(
    'type-by-use',
    (facts) => suitableTypes(facts) !== null,
    (facts) =>
      suitableTypes(facts)!.includes(facts.type)
        ? null
        : `${facts.type} instead of ${suitableTypes(facts)!.join(' or ')}`,
    hasNoType,
  ),
  keyRule(
    'value-size',
    () => true,
    (facts, { maxValueBytes }) => (bytesOf(facts)! > maxValueBytes ? `${bytesOf(facts)} bytes` : null),
    (facts, { maxValueBytes }) =>
      bytesOf(facts) === null || (isUnreadString(facts) && bytesOf(facts)! > maxValueBytes),
  ),
  keyRule(
    'collection-length',
    (facts) => isCollection(facts) || hasNoType(facts),
    ({ length }, { maxElements }) => ((length ?? 0) > maxElements ? `${length} elements` : null),
    (facts, { maxElements }) =>
      hasNoType(facts) || (facts.length === null && mostElements(facts) > maxElements),
  ),
  keyRule('lock-ttl', isLock, ({ ttlMs }) => (ttlMs === NO_TTL ? 'it never expires' : null), hasNoTtl),
  keyRule(
    'lock-owner',
    (facts, policy) => isLock(facts, policy) && (hasNoType(facts) || !!facts.look?.text),
    ({ look }) => (isFlag(look!.text!) ? 'its value is no token' : null),
    hasNoType,
  ),
  keyRule(
    'null-marker-ttl',
    (facts, policy) => isNullMarker(facts, policy) || (isUnreadString(facts) && mayBeCached(facts, policy)),
    (facts, { bands }) =>
      facts.ttlMs === NO_TTL ? 'it never expires' : overBand(facts, bands['null-marker'].maxSeconds),
    (facts) => isUnreadString(facts) || hasNoTtl(facts),
  ),
];
