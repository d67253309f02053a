import 'server-only';
import { SECOND } from '@/lib/time';
import { keyRule } from './name-rules';
import type { KeyFacts, KeyRule, Policy } from './rule';
import { suitableTypes } from './use';

export const NO_TTL = -1;
/** A TTL is set in whole seconds, and the clock goes on while it is read. */
const TOLERANCE_MS = SECOND;

/** The value by which applications remember that a record does not exist (document 004, Cache-Aside). */
export const NULL_MARKER = Buffer.from('NULL');

const FLAGS = new Set([
  '',
  '0',
  '1',
  'true',
  'false',
  'yes',
  'no',
  'on',
  'off',
  'ok',
  'null',
  'none',
  'lock',
  'locked',
  '{}',
  '""',
]);

export const isLock = (facts: KeyFacts, policy: Policy): boolean => policy.purposeOf(facts) === 'lock';

export const mayBeNullMarker = (facts: KeyFacts, policy: Policy): boolean =>
  facts.type === 'string' &&
  facts.length === NULL_MARKER.length &&
  ['cache', 'hot-cache'].includes(policy.purposeOf(facts) ?? '');

const isNullMarker: KeyRule['applies'] = (facts, policy) =>
  mayBeNullMarker(facts, policy) && !!facts.look?.text?.equals(NULL_MARKER);

const seconds = (ms: number): string => `${Math.round(ms / SECOND)} s`;

const overBand = (facts: KeyFacts, maxSeconds: number): string | null =>
  facts.ttlMs > maxSeconds * SECOND + TOLERANCE_MS
    ? `${seconds(facts.ttlMs)} left, at most ${maxSeconds} s`
    : null;

const isCollection = ({ type }: KeyFacts): boolean =>
  ['list', 'set', 'zset', 'hash', 'stream'].includes(type);

const bytesOf = ({ type, length, memoryBytes }: KeyFacts): number | null =>
  type === 'string' ? length : memoryBytes;

export const VALUE_RULES: readonly KeyRule[] = [
  keyRule(
    'ttl-required',
    (facts, policy) => !policy.mayPersist(facts),
    ({ ttlMs }) => (ttlMs === NO_TTL ? 'it never expires' : null),
  ),
  keyRule(
    'ttl-band',
    (facts, policy) => facts.ttlMs !== NO_TTL && policy.bandOf(facts) !== null,
    (facts, policy) => overBand(facts, policy.bandOf(facts)!.maxSeconds),
  ),
  keyRule(
    'type-by-use',
    (facts) => suitableTypes(facts) !== null,
    (facts) =>
      suitableTypes(facts)!.includes(facts.type)
        ? null
        : `${facts.type} instead of ${suitableTypes(facts)!.join(' or ')}`,
  ),
  keyRule(
    'value-size',
    (facts) => bytesOf(facts) !== null,
    (facts, { maxValueBytes }) => (bytesOf(facts)! > maxValueBytes ? `${bytesOf(facts)} bytes` : null),
  ),
  keyRule(
    'collection-length',
    (facts) => isCollection(facts) && facts.length !== null,
    ({ length }, { maxElements }) => (length! > maxElements ? `${length} elements` : null),
  ),
  keyRule('lock-ttl', isLock, ({ ttlMs }) => (ttlMs === NO_TTL ? 'it never expires' : null)),
  keyRule(
    'lock-owner',
    (facts, policy) => isLock(facts, policy) && !!facts.look?.text,
    ({ look }) =>
      FLAGS.has(look!.text!.toString('latin1').trim().toLowerCase()) ? 'its value is no token' : null,
  ),
  keyRule('null-marker-ttl', isNullMarker, (facts, { bands }) =>
    facts.ttlMs === NO_TTL ? 'it never expires' : overBand(facts, bands['null-marker'].maxSeconds),
  ),
];
