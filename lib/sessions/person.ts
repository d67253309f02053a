import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { readSessions } from './facts';
import { type Found, findAll } from './find';
import { fingerprintOf, type SessionKey } from './keys';
import type { Session, sessionContracts } from './schema';
import { oauthKeysOf, readAlive, tokenId } from './tokens';
import { byActivity } from './view';

/** Sessions of one person that are read and shown; beyond them the answer says that it is not complete. */
const MOST_SHOWN = 1000;

/** Each session once, those the index knows first. */
const distinct = ({ entries, sessions }: Found): SessionKey[] => {
  const keys = new Map<string, SessionKey>();
  for (const key of [...entries, ...sessions]) {
    const id = keyId(key.key);
    if (!keys.has(id)) keys.set(id, key);
  }
  return [...keys.values()];
};

const readTokens = async (ctx: ReadContext, userId: string, found: Found) => {
  const [oauth, verifications] = await Promise.all([
    readAlive(ctx, oauthKeysOf(ctx, userId)),
    readAlive(ctx, found.verifications),
  ]);
  return {
    oauth: oauth.map(({ key, kind, provider, ttlSeconds }) => ({
      id: tokenId(key),
      kind,
      provider,
      type: null,
      ttlSeconds,
    })),
    verifications: verifications.map(({ key, type, ttlSeconds }) => ({
      id: tokenId(key),
      kind: 'verification' as const,
      provider: null,
      type,
      ttlSeconds,
    })),
  };
};

/**
 * A person's sessions and tokens, the latest activity first. From the index and exact keys at once; what the index
 * does not know (unindexed and legacy sessions, verifications) with `complete`, and always in a small keyspace.
 */
export const readPerson = async (
  ctx: ReadContext,
  { userId, complete }: Input<typeof sessionContracts.user>,
): Promise<Result<typeof sessionContracts.user>> => {
  const found = await findAll(ctx, new Set([userId]), { complete, most: MOST_SHOWN });
  const keys = distinct(found);
  const shown = keys.slice(0, MOST_SHOWN);
  const [read, tokens, legacy] = await Promise.all([
    readSessions(ctx, shown),
    readTokens(ctx, userId, found),
    readAlive(ctx, found.legacy),
  ]);
  const sessions = read.filter((session): session is Session => session !== null).sort(byActivity);
  const names = [...sessions, ...legacy].map(({ username }) => username);
  return {
    userId,
    username: names.find((name) => name !== null) ?? null,
    sessions,
    ...tokens,
    legacy: legacy.map(({ key, username, ttlSeconds }) => ({
      fingerprint: fingerprintOf(key),
      username,
      ttlSeconds,
    })),
    staleIndex: read.slice(0, found.entries.length).filter((session) => session === null).length,
    unindexed: sessions.filter((session) => session.states.includes('unindexed')).length,
    complete: found.scanned && found.entriesComplete && keys.length <= MOST_SHOWN,
  };
};
