import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { newId } from '@/lib/ids';
import { isRole, type Role } from '@/lib/permissions';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';
import { readMembers, storedTime } from './members';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';
import { seenLast } from './seen';

/** An API token as the store keeps it. Times are epoch ms; the token itself is not kept. */
export interface StoredApiToken {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  createdBy: string;
  /** The user's id behind it, however many tokens lie between, or `environment:…`; '' in a token from before. */
  owner: string;
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
  expiresAt: storedTime(fields.expiresAt),
  lastUsedAt: storedTime(fields.lastUsedAt),
  digest: fields.digest ?? '',
});

/** Makes a token of 32 random bytes. It is returned this once: only its SHA-256 digest is stored. */
export const createApiToken = async (
  store: Store,
  token: Pick<StoredApiToken, 'name' | 'role' | 'createdBy' | 'expiresAt'> & { owner?: string },
  now: number,
): Promise<{ apiToken: StoredApiToken; token: string }> => {
  const id = newId(now);
  const secret = PREFIX + randomBytes(32).toString('base64url');
  const digest = digestOf(secret);
  const apiToken = { owner: '', ...token, id, createdAt: now, lastUsedAt: null, digest };
  const hash = tokenKey(id);
  const lookup = lookupKey(digest);
  const { name, role, createdBy, owner = '', expiresAt } = token;
  const fields = {
    name,
    role,
    createdBy,
    owner,
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

export const tokensSeen = seenLast<StoredApiToken | null>('api-tokens-seen');

export const findApiTokenByDigest = async (store: Store, digest: string): Promise<StoredApiToken | null> => {
  const id = await store.use((redis) => redis.get(lookupKey(digest)));
  const found = id ? await findApiToken(store, id) : null;
  // The look-up may be anybody's work; the record says itself whose it is.
  const token = found?.digest === digest ? found : null;
  // Strangers' inventions are not remembered.
  if (token || tokensSeen.get(digest)) tokensSeen.set(digest, token);
  return token;
};

/** The tokens of a user that still hold. */
export const tokensOf = (tokens: readonly ListedApiToken[], owner: string, now: number): StoredApiToken[] =>
  tokens.filter(
    (token) =>
      token.owner === owner && !token.changedOutside && (token.expiresAt === null || now < token.expiresAt),
  );

/** What makes a token work: without these keys it has ended. */
export const tokenKeys = ({ id, digest }: StoredApiToken): Buffer[] => [tokenKey(id), lookupKey(digest)];

/** Ends a token at once, in every process, also one that is refused. Null when there is no such token. */
export const revokeApiToken = async (store: Store, id: string): Promise<StoredApiToken | null> => {
  const fields = await store.use((redis) => redis.hgetall(tokenKey(id)));
  if (Object.keys(fields).length === 0) return null;
  const token = parseToken(id, fields);
  await store.use(async (redis) => {
    const change = redis.multi().del(...tokenKeys(token));
    allReplies(await change.srem(families.apiTokens.key(), id).exec());
  });
  tokensSeen.set(token.digest, null);
  return token;
};

/** Notes that a token was used, at most once a minute. */
export const touchApiToken = async (store: Store, token: StoredApiToken, now: number): Promise<void> => {
  if (token.lastUsedAt !== null && now - token.lastUsedAt < MINUTE) return;
  await store.run('hash-touch', [tokenKey(token.id)], ['lastUsedAt', String(now)]);
};
