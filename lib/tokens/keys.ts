import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { paramOf, partIn } from '@/lib/role-keys/part-in-key';
import { isUserId } from '@/lib/sessions/schema';

/** The key of a token or a sign-in state. */
export interface TokenKey {
  key: Key;
  family: Family;
}

export interface OauthKey extends TokenKey {
  userId: string;
  kind: 'access' | 'refresh';
  provider: string;
}

export interface VerificationKey extends TokenKey {
  /** Null where only the value names the user. */
  userId: string | null;
  type: string | null;
  form: 'hash' | 'json';
}

/**
 * Identifies a token's key outside the server; the id of an OAuth token names its user, so that it is found without a
 * scan.
 */
export const tokenId = (key: Key, userId?: string): string =>
  (userId === undefined ? '' : `${userId}.`) + digest('handle', key, 22);

const KINDS = ['access', 'refresh'] as const;

const oauthFamilyOf = ({ catalog }: ReadContext, kind: OauthKey['kind']): Family | undefined =>
  catalog.role(`${kind}-token`);

/** The providers that a family's keys can name; null where any text can be one. */
const providersOf = (family: Family): readonly string[] | null => {
  const shape = family.params[paramOf(family, 'provider') ?? '']?.shape;
  return shape?.kind === 'words' ? shape.words : null;
};

/** Whether a user's OAuth tokens can be named without a scan: a list of providers is closed, and nothing else varies. */
export const areOauthKeysKnown = (ctx: ReadContext): boolean =>
  KINDS.every((kind) => {
    const family = oauthFamilyOf(ctx, kind);
    return !family || (providersOf(family) !== null && family.paramNames.length === 2);
  });

const keysOfFamily = (kind: OauthKey['kind'], family: Family, userId: string): OauthKey[] => {
  const [user, named] = [paramOf(family, 'userId')!, paramOf(family, 'provider')!];
  return (providersOf(family) ?? []).flatMap((provider) => {
    try {
      return [{ key: family.key({ [user]: userId, [named]: provider }), family, userId, kind, provider }];
    } catch {
      // The family's keys do not contain such ids.
      return [];
    }
  });
};

/** The keys of all OAuth tokens a user can have: exact keys, without a scan. */
export const oauthKeysOf = (ctx: ReadContext, userId: string): OauthKey[] =>
  KINDS.flatMap((kind) => {
    const family = oauthFamilyOf(ctx, kind);
    return family ? keysOfFamily(kind, family, userId) : [];
  });

export const parseOauthKey = (ctx: ReadContext, key: Key): OauthKey | null => {
  const found = ctx.catalog.classify(key);
  const kind = KINDS.find(
    (tokenKind) => found.family !== null && oauthFamilyOf(ctx, tokenKind) === found.family,
  );
  if (!found.family || !kind) return null;
  const userId = partIn(found.family, found.params, 'userId');
  const provider = partIn(found.family, found.params, 'provider')!;
  return userId !== null && isUserId(userId) ? { key, family: found.family, kind, userId, provider } : null;
};

export const parseVerificationKey = (ctx: ReadContext, key: Key): VerificationKey | null => {
  const { family, ...found } = ctx.catalog.classify(key);
  if (family?.role !== 'verification-token' || !('params' in found)) return null;
  return {
    key,
    family,
    form: family.type === 'hash' ? 'hash' : 'json',
    userId: partIn(family, found.params, 'userId'),
    type: partIn(family, found.params, 'type'),
  };
};

export const parseStateKey = (ctx: ReadContext, key: Key): TokenKey | null => {
  const { family } = ctx.catalog.classify(key);
  return family && family === ctx.catalog.role('sign-in-state') ? { key, family } : null;
};
