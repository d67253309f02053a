import 'server-only';
import { OAUTH_PROVIDERS } from '@/lib/catalog/apps/discours-access';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { ttlSeconds } from '@/lib/time';
import { familyOf } from './keys';

export interface OauthKey {
  key: Key;
  userId: string;
  kind: 'access' | 'refresh';
  provider: string;
}

/** Stands for a token's key outside the server. */
export const tokenId = (key: Key): string => digest('handle', key, 22);

/** The keys of every OAuth token a user can have: exact keys, nothing to search. */
export const oauthKeysOf = (ctx: ReadContext, userId: string): OauthKey[] =>
  (['access', 'refresh'] as const).flatMap((kind) =>
    OAUTH_PROVIDERS.map((provider) => ({
      key: familyOf(ctx, `discours.oauth-${kind}`).key({ user_id: userId, provider }),
      userId,
      kind,
      provider,
    })),
  );

/** Those of the keys that exist now, each with its TTL: seconds, null for never. */
export const readAlive = async <K extends { key: Key }>(
  ctx: ReadContext,
  keys: readonly K[],
): Promise<(K & { ttlSeconds: number | null })[]> => {
  const replies: readonly unknown[] = await ctx.reader.readMany(
    keys.map(({ key }): ReadCommand => ['PTTL', key]),
  );
  return keys.flatMap((one, i) => {
    const ttl = typeof replies[i] === 'number' ? ttlSeconds(replies[i]) : undefined;
    return ttl === undefined ? [] : [{ ...one, ttlSeconds: ttl }];
  });
};
