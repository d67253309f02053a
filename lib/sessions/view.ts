import 'server-only';
import { isoOrNull, SECOND, ttlSeconds } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { type Claims, decodeClaims, disagreements } from './claims';
import { NO_DEVICE, namedDevice, parseDevice } from './device';
import { fingerprintOf, handleOf, type LegacyKey, type SessionKey } from './keys';
import { readable } from './readable';
import type { Device, Session } from './schema';
import { type FactName, ghostFact, type StoredValue } from './storage';
import { readTime } from './times';

/** The facts in a session's key and its user's index. */
export type SessionFacts = Pick<StoredValue, 'readable' | 'pttl' | 'fieldCount' | 'fields'> &
  Partial<Pick<StoredValue, 'owner' | 'unchanged'>> & { indexed: boolean };

/**
 * Touching a revoked session creates a value with only its last activity, or without the user that only the value
 * could contain.
 */
export const isGhost = ({ storage }: SessionKey, { readable, fieldCount, fields }: SessionFacts): boolean =>
  readable &&
  ((fieldCount === 1 && fields.lastActivity !== undefined && ghostFact(storage) !== undefined) ||
    (storage.userParam === null && fields.userId === undefined));

const textField = (facts: SessionFacts, name: FactName): string | null => {
  const bytes = facts.fields[name];
  return bytes ? textOf(bytes) : null;
};

/** A time field; undefined where it exists but cannot be parsed. */
const timeField = (
  { storage }: SessionKey,
  facts: SessionFacts,
  name: 'createdAt' | 'lastActivity' | 'expiresAt',
): number | null | undefined => {
  if (facts.fields[name] === undefined) return null;
  return readTime(textField(facts, name), storage.units[name]) ?? undefined;
};

const isDamaged = (key: SessionKey, facts: SessionFacts): boolean =>
  !key.wellFormed ||
  !facts.readable ||
  timeField(key, facts, 'createdAt') === undefined ||
  timeField(key, facts, 'lastActivity') === undefined ||
  (facts.fields.device ? deviceOf(key, facts) === null : false) ||
  (facts.fields.userId !== undefined && textField(facts, 'userId') !== key.userId);

/** Null when the device cannot be read. Bytes that are not UTF-8 are not JSON either. */
const deviceOf = ({ storage }: SessionKey, facts: SessionFacts): Device | null => {
  const { device } = facts.fields;
  const text = device ? (textOf(device) ?? '\0') : null;
  const parsed = storage.deviceFormat === 'json' || text === null ? parseDevice(text) : namedDevice(text);
  const address = textField(facts, 'address');
  return parsed && address !== null ? { ...parsed, address: readable(address, 100) } : parsed;
};

/** The states of a session. Unindexed: missing in its user's index. Live: nothing is wrong with it. */
export const statesOf = (key: SessionKey, facts: SessionFacts): Session['states'] => {
  const states: Session['states'] = [];
  const isUnindexed = !facts.indexed && key.storage.index !== null;
  if (isGhost(key, facts)) states.push('ghost');
  else if (isDamaged(key, facts)) states.push('malformed');
  else if (!isUnindexed) states.push('live');
  if (isUnindexed) states.push('unindexed');
  if (facts.pttl === -1 && key.storage.expires) states.push('noTtl');
  return states;
};

/** When a session ends, epoch ms: with its key, or earlier by its value. Null for never. */
const endOf = (key: SessionKey, facts: SessionFacts, now: number): number | null => {
  const ends = [facts.pttl >= 0 ? now + facts.pttl : null, timeField(key, facts, 'expiresAt') ?? null];
  return ends.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b)));
};

const jwtOf = (
  claims: Claims | null,
  key: Pick<SessionKey, 'userId'>,
  createdAt: number | null,
  expiresAt: number | null,
) =>
  claims && {
    issuedAt: isoOrNull(claims.issuedAt),
    expiresAt: isoOrNull(claims.expiresAt),
    subject: claims.subject,
    disagreements: disagreements(claims, { userId: key.userId, createdAt, expiresAt }),
  };

/** A session as displayed: the token appears only as a digest and decoded claims. `now` in epoch ms. */
export const toSession = (key: SessionKey, facts: SessionFacts, now: number): Session => {
  const createdAt = timeField(key, facts, 'createdAt') ?? null;
  const expiresAt = endOf(key, facts, now);
  const username = facts.fields.username;
  return {
    handle: key.userId === null ? null : handleOf(key.userId, key.token),
    userId: key.userId,
    username: username ? readable(username, 200) : null,
    createdAt: isoOrNull(createdAt),
    lastActivity: isoOrNull(timeField(key, facts, 'lastActivity')),
    expiresAt: isoOrNull(expiresAt),
    ttlSeconds: ttlSeconds(facts.pttl) ?? null,
    device: deviceOf(key, facts) ?? NO_DEVICE,
    fingerprint: fingerprintOf(key.key),
    indexed: facts.indexed,
    states: statesOf(key, facts),
    jwt: jwtOf(decodeClaims(key.token), key, createdAt, expiresAt),
  };
};

const BARE: Pick<Session, 'createdAt' | 'lastActivity' | 'expiresAt' | 'ttlSeconds' | 'device'> = {
  createdAt: null,
  lastActivity: null,
  expiresAt: null,
  ttlSeconds: null,
  device: NO_DEVICE,
};

/** A legacy key as displayed. `ttl` in seconds, null for never. */
export const toLegacySession = (
  { key, userId, username, token }: LegacyKey,
  ttl: number | null,
  now: number,
): Session => {
  const expiresAt = ttl === null ? null : now + ttl * SECOND;
  const named = { userId };
  return {
    ...BARE,
    handle: handleOf(userId, token),
    userId,
    username,
    expiresAt: isoOrNull(expiresAt),
    ttlSeconds: ttl,
    fingerprint: fingerprintOf(key),
    indexed: false,
    states: ['legacy'],
    jwt: jwtOf(decodeClaims(token), named, null, expiresAt),
  };
};

/** A stale index entry as displayed: only its token is known. */
export const toStaleSession = (key: SessionKey): Session => {
  const claims = decodeClaims(key.token);
  return {
    ...BARE,
    handle: handleOf(key.userId!, key.token),
    userId: key.userId,
    username: null,
    fingerprint: fingerprintOf(key.key),
    indexed: true,
    states: ['staleIndex'],
    jwt: claims && {
      issuedAt: isoOrNull(claims.issuedAt),
      expiresAt: isoOrNull(claims.expiresAt),
      subject: claims.subject,
      disagreements: [],
    },
  };
};

/**
 * How long a token outlives its session where an application only checks signatures: seconds, null for ever (without
 * expiry), undefined where it is not a JWT or has expired.
 */
export const jwtLife = (token: Buffer, now: number): number | null | undefined => {
  const claims = decodeClaims(token);
  if (!claims) return undefined;
  if (claims.expiresAt === null) return null;
  return claims.expiresAt > now ? Math.ceil((claims.expiresAt - now) / SECOND) : undefined;
};
