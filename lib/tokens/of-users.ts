import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { storageOf } from '@/lib/sessions/storage';
import { areOauthKeysKnown, type OauthKey, oauthKeysOf, parseOauthKey } from './keys';
import { matchOf, oauthTokens } from './kinds';

const scanOauth = async (ctx: ReadContext, users: ReadonlySet<string>): Promise<OauthKey[]> => {
  const found = new Map<string, OauthKey>();
  const match = matchOf(ctx, oauthTokens);
  if (match === null) return [];
  for await (const { keys } of scanKeys(ctx.connection, { match })) {
    for (const key of keys) {
      const token = parseOauthKey(ctx, key);
      if (token && users.has(token.userId)) found.set(key.toString('latin1'), token);
    }
  }
  return [...found.values()];
};

/**
 * The keys of all OAuth tokens that these users of the sessions' application can have; they need not exist. Where keys
 * may name any provider only a scan finds them: without one there are none, and the answer is not complete.
 */
export const readOauthKeysOf = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  mayScan: boolean,
): Promise<{ keys: OauthKey[]; complete: boolean }> => {
  const { app } = storageOf(ctx).family;
  const isKnown = areOauthKeysKnown(ctx);
  if (!isKnown && !mayScan) return { keys: [], complete: false };
  const found = isKnown
    ? [...users].flatMap((userId) => oauthKeysOf(ctx, userId))
    : await countWithRestart(ctx.connection, () => scanOauth(ctx, users));
  // The same user id in another application is somebody else.
  return { keys: found.filter(({ family }) => family.app === app), complete: true };
};
