import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { escapeGlob } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import type { FamilyRole } from '@/lib/keyspace/roles';
import type { Key } from '@/lib/redis/commands';
import { familiesOf } from '@/lib/sessions/keys';
import { readable } from '@/lib/sessions/readable';
import { isUserId, userOfHandle } from '@/lib/sessions/schema';
import { readTime, unitOf } from '@/lib/sessions/times';
import { isoOrNull, SECOND, ttlSeconds } from '@/lib/time';
import {
  areOauthKeysKnown,
  type OauthKey,
  oauthKeysOf,
  parseOauthKey,
  parseStateKey,
  parseVerificationKey,
  type TokenKey,
  tokenId,
  type VerificationKey,
} from './keys';
import { readParts, type TokenParts } from './parts';
import type { OauthState, OauthToken, TokenFilter, VerificationToken } from './schema';

type Lifetime = Pick<OauthState, 'createdAt' | 'createdFrom' | 'ttlSeconds'>;

const usualTtl = ({ ttl }: Family): number | null =>
  typeof ttl === 'object' && 'seconds' in ttl ? ttl.seconds * SECOND : null;

/** The creation time from the value, else computed from the TTL if the family has a usual one. */
const lifetime = (family: Family, { pttl, parts }: TokenParts, now: number): Lifetime => {
  const written = readTime(parts.createdAt, unitOf(family.part('createdAt')));
  const usual = usualTtl(family);
  const began = usual !== null && pttl >= 0 && pttl <= usual ? now - (usual - pttl) : null;
  const createdAt = isoOrNull(written ?? began);
  return {
    createdAt,
    createdFrom: createdAt === null ? null : written === null ? 'ttl' : 'value',
    ttlSeconds: ttlSeconds(pttl) ?? null,
  };
};

const short = (text: string | null | undefined): string | null => (text ? readable(text, 60) : null);

/** As displayed; null for one that does not exist. */
export const readOauth = async (
  ctx: ReadContext,
  keys: readonly OauthKey[],
): Promise<(OauthToken | null)[]> => {
  const values = await readParts(ctx, keys, ['createdAt']);
  const now = ctx.now();
  return keys.map(({ key, family, userId, kind, provider }, i) => {
    const value = values[i];
    if (!value) return null;
    const life = lifetime(family, value, now);
    return { id: tokenId(key, userId), userId, kind, provider, form: value.form, ...life };
  });
};

/** As displayed; null for one that does not exist. */
export const readVerifications = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
): Promise<(VerificationToken | null)[]> => {
  const values = await readParts(ctx, keys, ['createdAt', 'userId', 'type']);
  const now = ctx.now();
  return keys.map(({ key, family, form, userId, type }, i) => {
    const value = values[i];
    if (!value) return null;
    const user = value.parts.userId;
    return {
      id: tokenId(key),
      userId: userId ?? (user && isUserId(user) ? user : null),
      kind: 'verification',
      type: type ?? short(value.parts.type),
      form,
      ...lifetime(family, value, now),
    };
  });
};

/** As displayed; null for one that does not exist. */
const readStates = async (ctx: ReadContext, keys: readonly TokenKey[]): Promise<(OauthState | null)[]> => {
  const values = await readParts(ctx, keys, ['provider', 'createdAt']);
  const now = ctx.now();
  return keys.map(({ key, family }, i) => {
    const value = values[i];
    if (!value) return null;
    return { id: tokenId(key), provider: short(value.parts.provider), ...lifetime(family, value, now) };
  });
};

export type AnyKey = { key: Key };
export type AnyToken = { ttlSeconds: number | null };

/** The differences between kinds of tokens when they are listed and revoked. */
export interface TokenKind<K extends AnyKey = AnyKey, T extends AnyToken = AnyToken> {
  /** In words, for the audit log. */
  name: string;
  roles: readonly FamilyRole[];
  /** Null for a key of another family. */
  parse(ctx: ReadContext, key: Key): K | null;
  id(key: K): string;
  /** Whether the key may match: saves reading the values of those that cannot. */
  keyMayPass(key: K, filter: TokenFilter): boolean;
  read(ctx: ReadContext, keys: readonly K[]): Promise<(T | null)[]>;
  matches(token: T, filter: TokenFilter): boolean;
  /** Keys that are known without a scan; null where only a scan finds them. */
  exact?(ctx: ReadContext, wanted: { filter?: TokenFilter; ids?: readonly string[] }): K[] | null;
}

const fits = (wanted: string | undefined, value: string | null): boolean =>
  wanted === undefined || value === wanted;

const expiresWithin = ({ ttlSeconds }: AnyToken, within: number | undefined): boolean =>
  within === undefined || (ttlSeconds !== null && ttlSeconds <= within);

export const oauthTokens: TokenKind<OauthKey, OauthToken> = {
  name: 'OAuth tokens',
  roles: ['access-token', 'refresh-token'],
  parse: parseOauthKey,
  id: ({ key, userId }) => tokenId(key, userId),
  keyMayPass: (key, { userId, provider, kind }) =>
    fits(userId, key.userId) && fits(provider, key.provider) && fits(kind, key.kind),
  read: readOauth,
  matches: (token, filter) => expiresWithin(token, filter.expiringWithinSeconds),
  exact: (ctx, { filter, ids }) => {
    const users = ids ? ids.map(userOfHandle) : [filter?.userId ?? null];
    if ((!ids && users[0] === null) || !areOauthKeysKnown(ctx)) return null;
    return [...new Set(users)].flatMap((user) => (user === null ? [] : oauthKeysOf(ctx, user)));
  },
};

export const verificationTokens: TokenKind<VerificationKey, VerificationToken> = {
  name: 'verification tokens',
  roles: ['verification-token'],
  parse: parseVerificationKey,
  id: ({ key }) => tokenId(key),
  keyMayPass: (key, { userId, type }) =>
    key.form === 'json' || (fits(userId, key.userId) && fits(type, key.type)),
  read: readVerifications,
  matches: (token, { userId, type, expiringWithinSeconds }) =>
    fits(userId, token.userId) && fits(type, token.type) && expiresWithin(token, expiringWithinSeconds),
};

export const oauthStates: TokenKind<TokenKey, OauthState> = {
  name: 'OAuth states',
  roles: ['sign-in-state'],
  parse: parseStateKey,
  id: ({ key }) => tokenId(key),
  keyMayPass: () => true,
  read: readStates,
  matches: (token, { provider, expiringWithinSeconds }) =>
    fits(provider, token.provider) && expiresWithin(token, expiringWithinSeconds),
};

/**
 * One glob for all of a kind's families: their common prefix. It may match other families too. Null where the connection
 * has no such tokens; throws 404 where it has no sessions either.
 */
export const matchOf = (ctx: ReadContext, { roles }: Pick<TokenKind, 'roles'>): string | null => {
  const heads = familiesOf(ctx, roles).map(({ compiled }) => Buffer.from(compiled.literals[0]!).toString());
  let [common] = heads;
  if (common === undefined) return null;
  while (!heads.every((head) => head.startsWith(common!))) common = common.slice(0, -1);
  return `${escapeGlob(common)}*`;
};
