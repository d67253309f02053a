import 'server-only';
import { createHash } from 'node:crypto';
import type { TtlPolicy } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { SECOND } from '@/lib/time';
import type { StoredLock } from './stored-lock';

/** Identifies a lock's owner, as far as it was read. */
const identityOf = ({ type, state, owner, ownerLength }: StoredLock): string => {
  const content =
    state?.digest ||
    createHash('sha1')
      .update(owner ?? '')
      .digest('hex');
  return `${type}:${ownerLength}:${content}`;
};

/** A digest, because a name may be long. */
const nameOf = (key: Key): string => createHash('sha1').update(key).digest('base64');

/** Expiries are computed from the remaining time, so they vary by the time of a round trip. */
export const NEAR_MS = 500;

interface Seen {
  /** When this process first saw the lock with its current owner, minus its idle time then, epoch ms. */
  at: number;
  /** When this console last saw the key without this owner, epoch ms; null: never. */
  notBefore: number | null;
  /** The expiry at the first reading, epoch ms; null where it never expires. */
  expiresAt: number | null;
}

const isNear = (a: number | null, b: number | null): boolean =>
  a !== null && b !== null && Math.abs(a - b) <= NEAR_MS;

/** Times of a pass, epoch ms. */
interface PassTimes {
  readFrom: number;
  readAt: number;
  /** When the scan of the keys began; null for an incomplete scan. */
  scannedFrom: number | null;
}

/** Remembers when each lock was first seen with its current owner. Retains the locks of the last update only. */
export class FirstSeen {
  private seen = new Map<string, Seen & { identity: string }>();
  private latest: PassTimes | null = null;

  /** In order. An expiry that differs by no more than a round trip keeps its first reading. */
  update(locks: readonly { key: Key; stored: StoredLock }[], times: PassTimes): Seen[] {
    const next: typeof this.seen = new Map();
    const seen = locks.map(({ key, stored }) => {
      const [name, identity] = [nameOf(key), identityOf(stored)];
      const before = this.seen.get(name);
      const known = before?.identity === identity ? before : null;
      const expiresAt =
        known && isNear(known.expiresAt, stored.expiresAt) ? known.expiresAt : stored.expiresAt;
      // A key that a complete scan did not find was created after that scan began.
      const without = (before ? this.latest?.readFrom : this.latest?.scannedFrom) ?? null;
      // The server counts idle time in whole seconds, by a clock that may lag by one.
      const idleMs = Math.max(0, (stored.idleSeconds ?? 0) - 1) * SECOND;
      const { at, notBefore } = known ?? { at: times.readAt - idleMs, notBefore: without };
      const seen = { identity, at, notBefore, expiresAt };
      next.set(name, seen);
      return seen;
    });
    this.seen = next;
    this.latest = times;
    return seen;
  }
}

/** Since when a lock is held, epoch ms; `isAtLeast` where it may be held longer. Null: unknown. */
export interface Held {
  since: number;
  isAtLeast: boolean;
}

interface HeldFacts {
  ttl: TtlPolicy;
  /** Epoch ms; null where the lock never expires. */
  expiresAt: number | null;
  /** The first sighting and the current time, epoch ms. */
  seenAt: number;
  now: number;
  /** When it was certainly not held, epoch ms; null where unknown. */
  notBefore: number | null;
}

/** By its TTL, where the family declares one that is not exceeded. */
const byTtl = ({ ttl, expiresAt, now }: HeldFacts): Held | null => {
  if (typeof ttl === 'string' || expiresAt === null) return null;
  const [min, max] = 'seconds' in ttl ? [ttl.seconds, ttl.seconds] : [ttl.minSeconds, ttl.maxSeconds];
  const since = expiresAt - min * SECOND;
  // For a band only the shortest TTL is certain.
  const isWithin = expiresAt - now <= max * SECOND + SECOND;
  return isWithin && since <= now + SECOND ? { since: Math.min(since, now), isAtLeast: min !== max } : null;
};

/**
 * An owner that extends its lock holds it longer than the TTL implies; one that takes it with a shorter TTL holds it
 * for less time.
 */
export const heldSince = (facts: HeldFacts): Held | null => {
  const { seenAt, now, notBefore } = facts;
  const byTtlAlone = byTtl(facts);
  const isKnownShorter = byTtlAlone !== null && notBefore !== null && byTtlAlone.since < notBefore - SECOND;
  const declared = isKnownShorter ? null : byTtlAlone;
  if (declared && declared.since <= seenAt + SECOND) return declared;
  return now - seenAt >= SECOND ? { since: seenAt, isAtLeast: true } : declared;
};
