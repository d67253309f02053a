import 'server-only';
import { OAUTH_PROVIDERS } from '@/lib/catalog/apps/discours-access';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { familyOf } from '../keys';
import { NUMERIC_ID } from '../schema';

export interface OauthKey {
  key: Key;
  userId: string;
  kind: 'access' | 'refresh';
  provider: string;
}

export interface VerificationKey {
  key: Key;
  /** Null where only the value names the user. */
  userId: string | null;
  type: string | null;
  form: 'hash' | 'json';
}

export interface StateKey {
  key: Key;
}

/**
 * Identifies a token's key outside the server; the id of an OAuth token names its user, so that it is found without a
 * scan.
 */
export const tokenId = (key: Key, userId?: string): string =>
  (userId === undefined ? '' : `${userId}.`) + digest('handle', key, 22);

/** The keys of all OAuth tokens a user can have: exact keys, without a scan. Only numeric ids have any. */
export const oauthKeysOf = (ctx: ReadContext, userId: string): OauthKey[] =>
  (NUMERIC_ID.test(userId) ? (['access', 'refresh'] as const) : []).flatMap((kind) =>
    OAUTH_PROVIDERS.map((provider) => ({
      key: familyOf(ctx, `discours.oauth-${kind}`).key({ user_id: userId, provider }),
      userId,
      kind,
      provider,
    })),
  );

type Classified = { family: Family; params: Record<string, string> };

const classify = (ctx: ReadContext, key: Key): Classified | null => {
  const found = ctx.catalog.classify(key);
  return found.family === null ? null : found;
};

export const parseOauthKey = (ctx: ReadContext, key: Key): OauthKey | null => {
  const found = classify(ctx, key);
  const kind = found?.family.id === 'discours.oauth-access' ? 'access' : 'refresh';
  if (found?.family.id !== `discours.oauth-${kind}` || !NUMERIC_ID.test(found.params.user_id!)) return null;
  return { key, kind, userId: found.params.user_id!, provider: found.params.provider! };
};

export const parseVerificationKey = (ctx: ReadContext, key: Key): VerificationKey | null => {
  const found = classify(ctx, key);
  if (found?.family.id === 'discours.verification-token')
    return { key, userId: null, type: null, form: 'json' };
  if (found?.family.id !== 'discours.verification') return null;
  return { key, userId: found.params.user_id!, type: found.params.type!, form: 'hash' };
};

export const parseStateKey = (ctx: ReadContext, key: Key): StateKey | null =>
  classify(ctx, key)?.family.id === 'discours.oauth-state' ? { key } : null;
