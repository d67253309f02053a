import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { isRole, type Role } from '@/lib/permissions';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';
import { lastKnown } from './last-known';
import { readMembers, storedTime } from './members';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';

/** An API token as stored. Times are epoch ms; the token itself is not stored. */
export interface StoredApiToken {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  createdBy: string;
  /**
   * The id of the user who ultimately owns it, through any chain of tokens, or `environment:…`; '' in a token of an
   * earlier version.
   */
  owner: string;
  /**
   * The id of the token that created it, which ends it by ending itself; '' where a user or the configuration's token
   * created it.
   */
  madeBy: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** The SHA-256 digest of the token. */
  digest: string;
}

export interface ListedApiToken extends StoredApiToken {
  /** Not written by the console: the token is refused and can only be revoked. */
  changedOutside: boolean;
}

const PREFIX = 'kw_';
/** How long an expired token stays listed before its keys expire. */
const KEPT_AFTER_EXPIRY = 30 * DAY;

const families = consoleFamilies;
const tokenKey = (id: string): Buffer => families.apiToken.key({ id });
const lookupKey = (digest: string): Buffer => families.apiTokenDigest.key({ digest });
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

const parseToken = (id: string, fields: RecordFields): StoredApiToken => ({
  id,
  name: fields.name ?? '',
  role: isRole(fields.role) ? fields.role : 'viewer',
  createdAt: storedTime(fields.createdAt) ?? 0,
  createdBy: fields.createdBy ?? '',
  owner: fields.owner ?? '',
  madeBy: fields.madeBy ?? '',
  expiresAt: storedTime(fields.expiresAt),
  lastUsedAt: storedTime(fields.lastUsedAt),
  digest: fields.digest ?? '',
});

/** Creates a token of 32 random bytes. It is returned only here: the store has its SHA-256 digest. */
export const createApiToken = async (
  store: Store,
  token: Pick<StoredApiToken, 'name' | 'role' | 'createdBy' | 'expiresAt'> &
    Partial<Pick<StoredApiToken, 'owner' | 'madeBy'>>,
  now: number,
): Promise<{ apiToken: StoredApiToken; token: string }> => {
  const id = newId(now);
  const secret = PREFIX + randomBytes(32).toString('base64url');
  const digest = digestOf(secret);
  const { name, role, createdBy, owner = '', madeBy = '', expiresAt } = token;
  const apiToken = { ...token, owner, madeBy, id, createdAt: now, lastUsedAt: null, digest };
  const hash = tokenKey(id);
  const lookup = lookupKey(digest);
  const fields = {
    name,
    role,
    createdBy,
    owner,
    madeBy,
    expiresAt: String(expiresAt ?? ''),
    createdAt: String(now),
    digest,
  };
  await store.use(async (redis) => {
    const mac = recordMac('api-token', id, fields);
    const change = redis
      .multi()
      .hset(hash, { ...fields, mac })
      .set(lookup, id)
      .sadd(families.apiTokens.key(), id);
    if (expiresAt !== null) {
      change.pexpireat(hash, expiresAt + KEPT_AFTER_EXPIRY).pexpireat(lookup, expiresAt);
    }
    allReplies(await change.exec());
  });
  return { apiToken, token: secret };
};

/** All tokens, oldest first, including refused ones, and expired ones for 30 days. */
export const listApiTokens = async (store: Store): Promise<ListedApiToken[]> => {
  const members = await readMembers(store, families.apiTokens.key(), tokenKey);
  const isGone = ({ fields }: { fields: RecordFields }) => Object.keys(fields).length === 0;
  const gone = members.filter(isGone).map(({ id }) => id);
  if (gone.length > 0) await store.use((redis) => redis.srem(families.apiTokens.key(), ...gone));
  return members
    .filter((member) => !isGone(member))
    .map(({ id, fields }) => ({
      ...parseToken(id, fields),
      changedOutside: !isTrusted('api-token', id, fields),
    }));
};

/** Null where no such token exists, or the console did not write it. */
export const findApiToken = async (store: Store, id: string): Promise<StoredApiToken | null> => {
  const fields = await store.use((redis) => redis.hgetall(tokenKey(id)));
  return isTrusted('api-token', id, fields) ? parseToken(id, fields) : null;
};

export const knownTokens = lastKnown<StoredApiToken | null>('api-tokens-seen');

export const findApiTokenByDigest = async (store: Store, digest: string): Promise<StoredApiToken | null> => {
  const id = await store.use((redis) => redis.get(lookupKey(digest)));
  const stored = id ? await findApiToken(store, id) : null;
  // The lookup key is not authenticated, so the record must confirm the digest.
  const token = stored?.digest === digest ? stored : null;
  // Unknown tokens are not remembered, so that guesses cannot fill the memory.
  if (token || knownTokens.get(digest)) knownTokens.set(digest, token);
  return token;
};

const holds = (token: ListedApiToken, now: number): boolean =>
  !token.changedOutside && (token.expiresAt === null || now < token.expiresAt);

/** A user's valid tokens. */
export const tokensOf = (tokens: readonly ListedApiToken[], owner: string, now: number): StoredApiToken[] =>
  tokens.filter((token) => token.owner === owner && holds(token, now));

/** Returns a function that finds the valid tokens that some tokens created, directly or through others. */
export const descendantsOf = (tokens: readonly ListedApiToken[], now: number) => {
  const made = new Map<string, string[]>();
  for (const { id, madeBy } of tokens)
    made
      .set(madeBy, made.get(madeBy) ?? [])
      .get(madeBy)!
      .push(id);
  return (makers: readonly string[]): StoredApiToken[] => {
    const line = new Set(makers);
    // Iterates over added ids too, each once: a record written from outside may form a cycle.
    for (const id of line) for (const child of made.get(id) ?? []) line.add(child);
    for (const id of makers) line.delete(id);
    return line.size === 0 ? [] : tokens.filter((token) => line.has(token.id) && holds(token, now));
  };
};

/** The keys of a token. Deleting them ends it. */
export const tokenKeys = ({ id, digest }: StoredApiToken): Buffer[] => [tokenKey(id), lookupKey(digest)];

/**
 * Revokes a token in every process immediately, a refused one too, and with it all tokens it created, directly or
 * through others. Null when there is no such token.
 */
export const revokeApiToken = async (
  store: Store,
  id: string,
): Promise<(StoredApiToken & { alsoEnded: number }) | null> => {
  const fields = await store.use((redis) => redis.hgetall(tokenKey(id)));
  if (Object.keys(fields).length === 0) return null;
  const token = parseToken(id, fields);
  const ended: string[] = [];
  const left = async () => descendantsOf(await listApiTokens(store), Date.now())([id, ...ended]);
  // Repeated, because a token may be created while others are revoked.
  for (let next = [token, ...(await left())]; next.length > 0; next = await left()) {
    await store.use(async (redis) => {
      const change = redis.multi().del(...next.flatMap(tokenKeys));
      allReplies(await change.srem(families.apiTokens.key(), ...next.map((child) => child.id)).exec());
    });
    for (const { digest } of next) knownTokens.set(digest, null);
    ended.push(...next.map((child) => child.id));
  }
  return { ...token, alsoEnded: ended.length - 1 };
};

/** Stores when a token was last used, at most once a minute. */
export const touchApiToken = async (store: Store, token: StoredApiToken, now: number): Promise<void> => {
  if (token.lastUsedAt !== null && now - token.lastUsedAt < MINUTE) return;
  await store.run('hash-touch', [tokenKey(token.id)], ['lastUsedAt', String(now)]);
};
