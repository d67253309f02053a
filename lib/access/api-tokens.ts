import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { newId } from '@/lib/ids';
import { isRole, type Role } from '@/lib/permissions';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';
import { readMembers } from './members';
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
}

const PREFIX = 'kw_';
/** An expired token stays in the list this long, then its keys go by themselves. */
const KEPT_AFTER_EXPIRY = 30 * DAY;

const families = consoleFamilies;
/** What is stored of a token. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

const parseToken = (id: string, fields: Record<string, string>): StoredApiToken | null => {
  if (!fields.name || !isRole(fields.role)) return null;
  return {
    id,
    name: fields.name,
    role: fields.role,
    createdAt: Number(fields.createdAt ?? 0),
    createdBy: fields.createdBy ?? '',
    owner: fields.owner ?? '',
    expiresAt: fields.expiresAt ? Number(fields.expiresAt) : null,
    lastUsedAt: fields.lastUsedAt ? Number(fields.lastUsedAt) : null,
  };
};

/** Makes a token of 32 random bytes. It is returned this once: only its SHA-256 digest is stored. */
export const createApiToken = async (
  store: Store,
  token: Pick<StoredApiToken, 'name' | 'role' | 'createdBy' | 'expiresAt'> & { owner?: string },
  now: number,
): Promise<{ apiToken: StoredApiToken; token: string }> => {
  const id = newId(now);
  const secret = PREFIX + randomBytes(32).toString('base64url');
  const digest = digestOf(secret);
  const apiToken = { owner: '', ...token, id, createdAt: now, lastUsedAt: null };
  const hash = families.apiToken.key({ id });
  const lookup = families.apiTokenDigest.key({ digest });
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
    const change = redis.multi().hset(hash, fields).set(lookup, id).sadd(families.apiTokens.key(), id);
    if (expiresAt !== null) {
      change.pexpireat(hash, expiresAt + KEPT_AFTER_EXPIRY).pexpireat(lookup, expiresAt);
    }
    allReplies(await change.exec());
  });
  return { apiToken, token: secret };
};

/** All tokens, oldest first, expired ones for another 30 days. */
export const listApiTokens = async (store: Store): Promise<StoredApiToken[]> => {
  const members = await readMembers(store, families.apiTokens.key(), (id) => families.apiToken.key({ id }));
  const gone: string[] = [];
  const tokens = members.flatMap(({ id, fields }) => {
    const token = parseToken(id, fields);
    if (!token) gone.push(id);
    return token ?? [];
  });
  if (gone.length > 0) await store.use((redis) => redis.srem(families.apiTokens.key(), ...gone));
  return tokens;
};

export const findApiToken = async (store: Store, id: string): Promise<StoredApiToken | null> =>
  parseToken(id, await store.use((redis) => redis.hgetall(families.apiToken.key({ id }))));

export const tokensSeen = seenLast<StoredApiToken | null>('api-tokens-seen');

export const findApiTokenByDigest = async (store: Store, digest: string): Promise<StoredApiToken | null> => {
  const id = await store.use((redis) => redis.get(families.apiTokenDigest.key({ digest })));
  const token = id ? await findApiToken(store, id) : null;
  // Strangers' inventions are not remembered.
  if (token || tokensSeen.get(digest)) tokensSeen.set(digest, token);
  return token;
};

/** The tokens of a user that still hold. */
export const tokensOf = (tokens: readonly StoredApiToken[], owner: string, now: number): StoredApiToken[] =>
  tokens.filter((token) => token.owner === owner && (token.expiresAt === null || now < token.expiresAt));

/** Ends a token at once, in every process. Null when there is no such token. */
export const revokeApiToken = async (store: Store, id: string): Promise<StoredApiToken | null> => {
  const hash = families.apiToken.key({ id });
  const fields = await store.use((redis) => redis.hgetall(hash));
  const token = parseToken(id, fields);
  if (!token) return null;
  await store.use(async (redis) => {
    const change = redis.multi().del(hash).srem(families.apiTokens.key(), id);
    if (fields.digest) change.del(families.apiTokenDigest.key({ digest: fields.digest }));
    allReplies(await change.exec());
  });
  tokensSeen.set(fields.digest ?? '', null);
  return token;
};

/** Notes that a token was used, at most once a minute. */
export const touchApiToken = async (store: Store, token: StoredApiToken, now: number): Promise<void> => {
  if (token.lastUsedAt !== null && now - token.lastUsedAt < MINUTE) return;
  await store.run('hash-touch', [families.apiToken.key({ id: token.id })], ['lastUsedAt', String(now)]);
};
