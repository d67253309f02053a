import 'server-only';
import { escapeGlob } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isoOrNull, SECOND, ttlSeconds, unixSeconds } from '@/lib/time';
import { familyOf } from '../keys';
import { readable } from '../readable';
import { isUserId, userOfHandle } from '../schema';
import {
  type OauthKey,
  oauthKeysOf,
  parseOauthKey,
  parseStateKey,
  parseVerificationKey,
  type StateKey,
  tokenId,
  type VerificationKey,
} from './keys';
import type { OauthState, OauthToken, TokenFilter, VerificationToken } from './schema';
import { readHashFields, readJsonFields } from './values';

type Lifetime = Pick<OauthState, 'createdAt' | 'createdFrom' | 'ttlSeconds'>;

const usualTtl = ({ ttl }: Family): number | null =>
  typeof ttl === 'object' && 'seconds' in ttl ? ttl.seconds * SECOND : null;

/** The creation time from the value, else computed from the TTL if the family has a usual one. */
const lifetime = (family: Family, pttl: number, created: string | null, now: number): Lifetime => {
  const written = unixSeconds(created);
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
  const values = await readJsonFields(
    ctx,
    keys.map(({ key }) => key),
    ['created_at'],
  );
  const now = ctx.now();
  return keys.map(({ key, userId, kind, provider }, i) => {
    const value = values[i];
    if (!value) return null;
    const family = familyOf(ctx, `discours.oauth-${kind}`);
    const life = lifetime(family, value.pttl, value.fields[0] ?? null, now);
    return { id: tokenId(key, userId), userId, kind, provider, form: value.form, ...life };
  });
};

const TYPES = ['verification_type', 'token_type', 'type'];

/** As displayed; null for one that does not exist. */
export const readVerifications = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
): Promise<(VerificationToken | null)[]> => {
  const keysOf = (form: VerificationKey['form']) =>
    keys.filter((key) => key.form === form).map(({ key }) => key);
  const [hashes, strings] = await Promise.all([
    readHashFields(ctx, keysOf('hash'), ['created_at']),
    readJsonFields(ctx, keysOf('json'), ['created_at', 'user_id', ...TYPES]),
  ]);
  const now = ctx.now();
  const next = { hash: 0, json: 0 };
  return keys.map(({ key, form, userId, type }) => {
    const value = (form === 'hash' ? hashes : strings)[next[form]++];
    if (!value) return null;
    const [created, user, ...types] = value.fields;
    const family = familyOf(ctx, form === 'hash' ? 'discours.verification' : 'discours.verification-token');
    return {
      id: tokenId(key),
      userId: userId ?? (user && isUserId(user) ? user : null),
      kind: 'verification',
      type: type ?? short(types.find((text) => text)),
      form,
      ...lifetime(family, value.pttl, created ?? null, now),
    };
  });
};

/** As displayed; null for one that does not exist. */
const readStates = async (ctx: ReadContext, keys: readonly StateKey[]): Promise<(OauthState | null)[]> => {
  const [named, fields] = [keys.map(({ key }) => key), ['provider', 'created_at']];
  // A hash, or a JSON string in its place (keyspace.md).
  const [hashes, strings] = await Promise.all([
    readHashFields(ctx, named, fields),
    readJsonFields(ctx, named, fields),
  ]);
  const family = familyOf(ctx, 'discours.oauth-state');
  const now = ctx.now();
  return keys.map(({ key }, i) => {
    const value = strings[i]?.form === 'other' ? hashes[i] : strings[i];
    if (!value) return null;
    const [provider, created] = value.fields;
    return {
      id: tokenId(key),
      provider: short(provider),
      ...lifetime(family, value.pttl, created ?? null, now),
    };
  });
};

export type AnyKey = { key: Key };
export type AnyToken = { ttlSeconds: number | null };

/** The differences between kinds of tokens when they are listed and revoked. */
export interface TokenKind<K extends AnyKey = AnyKey, T extends AnyToken = AnyToken> {
  /** In words, for the audit log. */
  name: string;
  families: readonly string[];
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
  families: ['discours.oauth-access', 'discours.oauth-refresh'],
  parse: parseOauthKey,
  id: ({ key, userId }) => tokenId(key, userId),
  keyMayPass: (key, { userId, provider, kind }) =>
    fits(userId, key.userId) && fits(provider, key.provider) && fits(kind, key.kind),
  read: readOauth,
  matches: (token, filter) => expiresWithin(token, filter.expiringWithinSeconds),
  exact: (ctx, { filter, ids }) => {
    const users = ids ? ids.map(userOfHandle) : [filter?.userId ?? null];
    if (!ids && users[0] === null) return null;
    return [...new Set(users)].flatMap((user) => (user === null ? [] : oauthKeysOf(ctx, user)));
  },
};

export const verificationTokens: TokenKind<VerificationKey, VerificationToken> = {
  name: 'verification tokens',
  families: ['discours.verification', 'discours.verification-token'],
  parse: parseVerificationKey,
  id: ({ key }) => tokenId(key),
  keyMayPass: (key, { userId, type }) =>
    key.form === 'json' || (fits(userId, key.userId) && fits(type, key.type)),
  read: readVerifications,
  matches: (token, { userId, type, expiringWithinSeconds }) =>
    fits(userId, token.userId) && fits(type, token.type) && expiresWithin(token, expiringWithinSeconds),
};

export const oauthStates: TokenKind<StateKey, OauthState> = {
  name: 'OAuth states',
  families: ['discours.oauth-state'],
  parse: parseStateKey,
  id: ({ key }) => tokenId(key),
  keyMayPass: () => true,
  read: readStates,
  matches: (token, { provider, expiringWithinSeconds }) =>
    fits(provider, token.provider) && expiresWithin(token, expiringWithinSeconds),
};

/** One glob for all of a kind's families: their common prefix. It may match other families too. */
export const matchOf = (ctx: ReadContext, { families }: Pick<TokenKind, 'families'>): string => {
  const heads = families.map((id) => Buffer.from(familyOf(ctx, id).compiled.literals[0]!).toString());
  let [common] = heads as [string];
  while (!heads.every((head) => head.startsWith(common))) common = common.slice(0, -1);
  return `${escapeGlob(common)}*`;
};
