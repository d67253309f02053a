import 'server-only';
import { maxTtlOf, type TtlPolicy } from '@/lib/keyspace/family';
import { ruleOf } from '@/lib/keyspace/roles';
import { SECOND } from '@/lib/time';
import { UNREADABLE } from '@/lib/values/string-value';
import type { LockProblem } from './schema';
import { hasOwner, type StoredLock } from './stored-lock';

/** TTLs are set in whole seconds, and the clock advances while they are read. */
const TOLERANCE_MS = SECOND;

const TYPES: readonly string[] = ruleOf('lock').types;

const ofValue = (lock: StoredLock): LockProblem | null => {
  const { type, owner, ownerLength } = lock;
  if (type === UNREADABLE) return 'unreadable';
  if (!TYPES.includes(type)) return 'wrongType';
  if (owner !== null && ownerLength === 0) return 'empty';
  // A large value was only read partially.
  return hasOwner(lock) || lock.state === null ? null : 'noOwner';
};

/** The problems of a lock at `now` (epoch ms), by the TTL of its family. */
export const problemsOf = (lock: StoredLock, ttl: TtlPolicy, now: number): LockProblem[] => {
  const problems: LockProblem[] = [];
  const max = maxTtlOf(ttl);
  const { type, expiresAt, state } = lock;
  if (expiresAt === null) {
    if (type !== UNREADABLE) problems.push('noTtl');
  } else if (max !== null && expiresAt - now > max * SECOND + TOLERANCE_MS) problems.push('longerThanBand');
  const wrong = ofValue(lock);
  if (wrong) problems.push(wrong);
  if (state === null && type !== UNREADABLE) problems.push('tooLarge');
  return problems;
};
