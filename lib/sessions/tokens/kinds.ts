import 'server-only';
import { escapeGlob } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { familyOf, userOfHandle } from '../keys';
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
import { readOauth, readStates, readVerifications } from './view';

export type AnyKey = { key: Key };
export type AnyToken = { ttlSeconds: number | null };

/** What tells one kind of tokens from another when they are listed and revoked. */
export interface TokenKind<K extends AnyKey = AnyKey, T extends AnyToken = AnyToken> {
  /** In words, for the audit log. */
  name: string;
  families: readonly string[];
  /** null for a key of another family. */
  parse(ctx: ReadContext, key: Key): K | null;
  id(key: K): string;
  /** Whether the key can pass: spares reading the values of those that cannot. */
  keyMayPass(key: K, filter: TokenFilter): boolean;
  read(ctx: ReadContext, keys: readonly K[]): Promise<(T | null)[]>;
  passes(token: T, filter: TokenFilter): boolean;
  /** Keys that can be named without a scan; null where only a scan finds them. */
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
  passes: (token, filter) => expiresWithin(token, filter.expiringWithinSeconds),
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
  passes: (token, { userId, type, expiringWithinSeconds }) =>
    fits(userId, token.userId) && fits(type, token.type) && expiresWithin(token, expiringWithinSeconds),
};

export const oauthStates: TokenKind<StateKey, OauthState> = {
  name: 'OAuth states',
  families: ['discours.oauth-state'],
  parse: parseStateKey,
  id: ({ key }) => tokenId(key),
  keyMayPass: () => true,
  read: readStates,
  passes: (token, { provider, expiringWithinSeconds }) =>
    fits(provider, token.provider) && expiresWithin(token, expiringWithinSeconds),
};

/** One pattern for all of a kind's families: what their keys begin with in common. It may match others' too. */
export const matchOf = (ctx: ReadContext, { families }: Pick<TokenKind, 'families'>): string => {
  const heads = families.map((id) => Buffer.from(familyOf(ctx, id).compiled.literals[0]!).toString());
  let [common] = heads as [string];
  while (!heads.every((head) => head.startsWith(common))) common = common.slice(0, -1);
  return `${escapeGlob(common)}*`;
};
