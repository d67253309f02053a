import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { newId } from '@/lib/ids';
import { isRole, type Role } from '@/lib/permissions';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';
import { lastKnown } from './last-known';
import { readMembers, storedTime } from './members';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';

/** An API token as the store keeps it. Times are epoch ms; the token itself is not kept. */
export interface StoredApiToken {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  createdBy: string;
  /** The user's id behind it, however many tokens lie between, or `environment:…`; '' in a token from before. */
  owner: string;
  /** The id of the token that made it, and ends it; '' where a user did, or the configuration's token. */
  madeBy: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** What is kept of the token itself. */
  digest: string;
}

export interface ListedApiToken extends StoredApiToken {
  /** Not as the console wrote it: it is refused, and can only be revoked. */
  changedOutside: boolean;
}

const PREFIX = 'kw_';
/** An expired token stays in the list this long, then its keys go by themselves. */
const KEPT_AFTER_EXPIRY = 30 * DAY;

const families = consoleFamilies;
const tokenKey = (id: string): Buffer => families.apiToken.key({ id });
const lookupKey = (digest: string): Buffer => families.apiTokenDigest.key({ digest });
/** What is stored of a token. */
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

/** Makes a token of 32 random bytes. It is returned this once: only its SHA-256 digest is stored. */
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

/** All tokens, oldest first, expired ones for another 30 days, refused ones too. */
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

/** Null where there is none, or none that the console wrote. */
export const findApiToken = async (store: Store, id: string): Promise<StoredApiToken | null> => {
  const fields = await store.use((redis) => redis.hgetall(tokenKey(id)));
  return isTrusted('api-token', id, fields) ? parseToken(id, fields) : null;
};

export const knownTokens = lastKnown<StoredApiToken | null>('api-tokens-seen');

export const findApiTokenByDigest = async (store: Store, digest: string): Promise<StoredApiToken | null> => {
  const id = await store.use((redis) => redis.get(lookupKey(digest)));
  const found = id ? await findApiToken(store, id) : null;
  // The look-up may be anybody's work; the record says itself whose it is.
  const token = found?.digest === digest ? found : null;
  // Strangers' inventions are not remembered.
  if (token || knownTokens.get(digest)) knownTokens.set(digest, token);
  return token;
};

const holds = (token: ListedApiToken, now: number): boolean =>
  !token.changedOutside && (token.expiresAt === null || now < token.expiresAt);

/** The tokens of a user that still hold. */
export const tokensOf = (tokens: readonly ListedApiToken[], owner: string, now: number): StoredApiToken[] =>
  tokens.filter((token) => token.owner === owner && holds(token, now));

/** Finds the tokens that still hold of those that some made, through other tokens too. */
export const descendantsOf = (tokens: readonly ListedApiToken[], now: number) => {
  const made = new Map<string, string[]>();
  for (const { id, madeBy } of tokens)
    made
      .set(madeBy, made.get(madeBy) ?? [])
      .get(madeBy)!
      .push(id);
  return (makers: readonly string[]): StoredApiToken[] => {
    const line = new Set(makers);
    // What is added is walked as well, and once: a record written from outside may lead in a circle.
    for (const id of line) for (const child of made.get(id) ?? []) line.add(child);
    for (const id of makers) line.delete(id);
    return line.size === 0 ? [] : tokens.filter((token) => line.has(token.id) && holds(token, now));
  };
};

/** What makes a token work: without these keys it has ended. */
export const tokenKeys = ({ id, digest }: StoredApiToken): Buffer[] => [tokenKey(id), lookupKey(digest)];

/**
 * Ends a token at once, in every process, also one that is refused, and with it those it made, through others too.
 * Null when there is no such token.
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
  // Looked at again: one may be made while others are ended.
  for (let next = [token, ...(await left())]; next.length > 0; next = await left()) {
    await store.use(async (redis) => {
      const change = redis.multi().del(...next.flatMap(tokenKeys));
      allReplies(await change.srem(families.apiTokens.key(), ...next.map((each) => each.id)).exec());
    });
    for (const { digest } of next) knownTokens.set(digest, null);
    ended.push(...next.map((each) => each.id));
  }
  return { ...token, alsoEnded: ended.length - 1 };
};

/** Notes that a token was used, at most once a minute. */
export const touchApiToken = async (store: Store, token: StoredApiToken, now: number): Promise<void> => {
  if (token.lastUsedAt !== null && now - token.lastUsedAt < MINUTE) return;
  await store.run('hash-touch', [tokenKey(token.id)], ['lastUsedAt', String(now)]);
};
