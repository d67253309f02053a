import 'server-only';
import { isoOrNull, SECOND, ttlSeconds, unixSeconds } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { type Claims, decodeClaims, disagreements } from './claims';
import { NO_DEVICE, parseDevice } from './device';
import { fingerprintOf, handleOf, type LegacyKey, type SessionKey } from './keys';
import { readable } from './readable';
import type { Session } from './schema';

/** The fields that are read, with the maximum bytes loaded of each. `auth_data` is never loaded. */
export const FIELD_LIMITS = {
  user_id: 64,
  username: 1024,
  created_at: 64,
  last_activity: 64,
  device_info: 8192,
} as const;
export type FieldName = keyof typeof FIELD_LIMITS;
export const FIELDS = Object.keys(FIELD_LIMITS) as FieldName[];

/** What was read of one session's key. */
export interface SessionFacts {
  type: string;
  /** PTTL's reply. */
  pttl: number;
  fieldCount: number;
  indexed: boolean;
  /** A missing property: the hash has no such field. Null: it is too long to load. */
  fields: Partial<Record<FieldName, Buffer | null>>;
}

/** A hash with only `last_activity`: what touching a revoked session leaves behind (keyspace.md). */
export const isGhost = ({ fieldCount, fields }: SessionFacts): boolean =>
  fieldCount === 1 && fields.last_activity !== undefined;

const textField = (facts: SessionFacts, name: FieldName): string | null => {
  const bytes = facts.fields[name];
  return bytes ? textOf(bytes) : null;
};

/** A time field; undefined where it exists but cannot be parsed. */
export const timeField = (
  facts: SessionFacts,
  name: 'created_at' | 'last_activity',
): number | null | undefined => {
  if (facts.fields[name] === undefined) return null;
  return unixSeconds(textField(facts, name)) ?? undefined;
};

const isDamaged = (key: SessionKey, facts: SessionFacts): boolean =>
  !key.wellFormed ||
  facts.type !== 'hash' ||
  timeField(facts, 'created_at') === undefined ||
  timeField(facts, 'last_activity') === undefined ||
  (facts.fields.device_info ? parseDevice(deviceText(facts)) === null : false) ||
  (facts.fields.user_id !== undefined && textField(facts, 'user_id') !== key.userId);

/** Bytes that are not UTF-8 are not JSON either. */
const deviceText = (facts: SessionFacts): string | null =>
  facts.fields.device_info ? (textOf(facts.fields.device_info) ?? '\0') : null;

/** The states of a session. Unindexed: its user's index does not contain it. Live: nothing is wrong with it. */
export const statesOf = (key: SessionKey, facts: SessionFacts): Session['states'] => {
  const states: Session['states'] = [];
  if (facts.type === 'hash' && isGhost(facts)) states.push('ghost');
  else if (isDamaged(key, facts)) states.push('malformed');
  else if (facts.indexed) states.push('live');
  if (!facts.indexed) states.push('unindexed');
  if (facts.pttl === -1) states.push('noTtl');
  return states;
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

/** A session as displayed: of the token only a digest and its decoded claims. `now` in epoch ms. */
export const toSession = (key: SessionKey, facts: SessionFacts, now: number): Session => {
  const createdAt = timeField(facts, 'created_at') ?? null;
  const expiresAt = facts.pttl >= 0 ? now + facts.pttl : null;
  const username = facts.fields.username;
  return {
    handle: key.userId === null ? null : handleOf(key.userId, key.token),
    userId: key.userId,
    username: username ? readable(username, 200) : null,
    createdAt: isoOrNull(createdAt),
    lastActivity: isoOrNull(timeField(facts, 'last_activity')),
    expiresAt: isoOrNull(expiresAt),
    ttlSeconds: ttlSeconds(facts.pttl) ?? null,
    device: parseDevice(deviceText(facts)) ?? NO_DEVICE,
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

/** A stale index entry as displayed: only its token is left to read. */
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
 * How long a token outlives its session where an application only checks signatures: seconds, null for ever (it has no
 * expiry), undefined where it is not a JWT or has expired.
 */
export const jwtLife = (token: Buffer, now: number): number | null | undefined => {
  const claims = decodeClaims(token);
  if (!claims) return undefined;
  if (claims.expiresAt === null) return null;
  return claims.expiresAt > now ? Math.ceil((claims.expiresAt - now) / SECOND) : undefined;
};
