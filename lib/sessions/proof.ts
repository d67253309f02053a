import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Found } from './find';
import type { StillValid } from './schema';
import type { RevokeInput, Target } from './targets';
import { oauthKeysOf, readAlive } from './tokens';
import { jwtLife } from './view';

type Entry = Omit<StillValid, 'count'>;

/** Null is for ever, so it is the longest. */
const longer = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);

/** One line per kind, user and provider, with how many and the longest TTL. */
const sum = (entries: readonly Entry[]): StillValid[] => {
  const lines = new Map<string, StillValid>();
  for (const entry of entries) {
    const id = `${entry.kind}:${entry.userId}:${entry.provider ?? ''}`;
    const line = lines.get(id);
    if (!line) lines.set(id, { ...entry, count: 1 });
    else {
      line.count += 1;
      line.ttlSeconds = longer(line.ttlSeconds, entry.ttlSeconds);
    }
  }
  return [...lines.values()];
};

const otherSessions = async (
  ctx: ReadContext,
  found: Found,
  ended: ReadonlySet<string>,
): Promise<Entry[]> => {
  const keys = new Map([...found.entries, ...found.sessions].map((session) => [keyId(session.key), session]));
  for (const id of ended) keys.delete(id);
  const alive = await readAlive(ctx, [...keys.values()]);
  return alive.map(({ userId, ttlSeconds }) => ({ kind: 'session', userId: userId!, ttlSeconds }));
};

const tokenEntries = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  found: Found,
  ended: ReadonlySet<string>,
  without: RevokeInput['also'],
): Promise<Entry[]> => {
  const oauth = without?.includes('oauth') ? [] : [...users].flatMap((userId) => oauthKeysOf(ctx, userId));
  const verifications = without?.includes('verification') ? [] : found.verifications;
  const legacy = found.legacy.filter(({ key }) => !ended.has(keyId(key)));
  const [aliveOauth, aliveVerifications, aliveLegacy] = await Promise.all([
    readAlive(ctx, oauth),
    readAlive(ctx, verifications),
    readAlive(ctx, legacy),
  ]);
  return [
    ...aliveLegacy.map(({ userId, ttlSeconds }) => ({ kind: 'legacySession' as const, userId, ttlSeconds })),
    ...aliveOauth.map(({ userId, kind, provider, ttlSeconds }) => ({
      kind: kind === 'access' ? ('oauthAccess' as const) : ('oauthRefresh' as const),
      userId,
      provider,
      ttlSeconds,
    })),
    ...aliveVerifications.map(({ userId, ttlSeconds }) => ({
      kind: 'verification' as const,
      userId,
      ttlSeconds,
    })),
  ];
};

/**
 * What still lets these users in once `ended` are gone, as `found` knows it, read now: other sessions, legacy keys,
 * OAuth tokens, verifications, and the remaining life of the ended tokens where only signatures are checked.
 * `without`: kinds that a dry run would end as well.
 */
export const readStillValid = async (
  ctx: ReadContext,
  scope: {
    users: ReadonlySet<string>;
    found: Found;
    ended: readonly Target[];
    without?: RevokeInput['also'];
  },
): Promise<StillValid[]> => {
  const { users, found, ended, without } = scope;
  const endedKeys = new Set(ended.flatMap(({ key, legacy }) => [key, ...legacy].map(keyId)));
  const [sessions, tokens] = await Promise.all([
    otherSessions(ctx, found, endedKeys),
    tokenEntries(ctx, users, found, endedKeys, without),
  ]);
  const jwts = ended.flatMap(({ userId, token }): Entry[] => {
    const life = jwtLife(token, ctx.now());
    return life === null ? [] : [{ kind: 'jwt', userId, ttlSeconds: life }];
  });
  return sum([...sessions, ...tokens, ...jwts]);
};
