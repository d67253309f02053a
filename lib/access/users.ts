import 'server-only';
import { createHash } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { newId } from '@/lib/ids';
import { isRole, lowerRole, type Role } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { listApiTokens, revokeApiToken, tokensOf } from './api-tokens';
import { readMembers } from './members';
import { seenLast } from './seen';

export type UserRole = Exclude<Role, 'evaluator'>;

/** A user as the store keeps it. Times are epoch ms. */
export interface StoredUser {
  id: string;
  /** Lower-cased; unique. */
  email: string;
  name: string;
  role: UserRole;
  disabled: boolean;
  createdAt: number;
  lastSeenAt: number | null;
  /** The session version: a session signed under an older one has ended. */
  epoch: number;
  passwordHash: string;
}

export interface NewUser {
  email: string;
  name: string;
  role: UserRole;
  passwordHash: string;
}

export interface UserChange {
  name?: string;
  role?: UserRole;
  disabled?: boolean;
  passwordHash?: string;
  /** Raises the epoch: all sessions of the user end. */
  endSessions?: boolean;
}

const families = consoleFamilies;

export const userKey = (id: string): Buffer => families.user.key({ id });

/** The key of an address. A plain digest: the address is in the user's hash anyway, keys only must not show it. */
const emailKey = (email: string): Buffer =>
  families.userEmail.key({ digest: createHash('sha256').update(email.toLowerCase()).digest('base64url') });

const parseUser = (id: string, fields: Record<string, string>): StoredUser | null => {
  const { role } = fields;
  if (!fields.email || !isRole(role) || role === 'evaluator') return null;
  return {
    id,
    email: fields.email,
    name: fields.name ?? '',
    role,
    // Whatever is not clearly enabled is disabled.
    disabled: fields.disabled !== '0',
    createdAt: Number(fields.createdAt ?? 0),
    lastSeenAt: fields.lastSeenAt ? Number(fields.lastSeenAt) : null,
    epoch: Number(fields.epoch ?? 0),
    passwordHash: fields.passwordHash ?? '',
  };
};

/**
 * Creates a user. `onlyFirst`: only while there is none (first run); of several at once exactly one succeeds.
 * Throws the store's 503 `Problem`.
 */
export const createUser = async (
  store: Store,
  user: NewUser,
  options: { now: number; onlyFirst?: boolean },
): Promise<{ ok: true; user: StoredUser } | { ok: false; reason: 'email-taken' | 'not-first' }> => {
  const id = newId(options.now);
  const email = user.email.toLowerCase();
  const fields = { ...user, email, disabled: '0', createdAt: String(options.now), epoch: '1' };
  const [, , created] = (await store.run(
    'user-create',
    [families.users.key(), emailKey(email), userKey(id)],
    [id, options.onlyFirst ? '1' : '0', ...Object.entries(fields).flat()],
  )) as number[];
  if (created !== 1) return { ok: false, reason: created === 0 ? 'email-taken' : 'not-first' };
  return { ok: true, user: parseUser(id, fields)! };
};

export const usersSeen = seenLast<StoredUser | null>('users-seen');

/** The user that fields of the store say, remembered for when it is out of reach. */
export const userFrom = (id: string, fields: Record<string, string>): StoredUser | null => {
  const user = parseUser(id, fields);
  usersSeen.set(id, user);
  return user;
};

/** Null when there is no such user. Throws the store's 503 `Problem`. */
export const findUser = async (store: Store, id: string): Promise<StoredUser | null> =>
  userFrom(id, await store.use((redis) => redis.hgetall(userKey(id))));

export const findUserByEmail = async (store: Store, email: string): Promise<StoredUser | null> => {
  const id = await store.use((redis) => redis.get(emailKey(email)));
  return id ? findUser(store, id) : null;
};

/** All users, oldest first. There are as many as the console has people. */
export const listUsers = async (store: Store): Promise<StoredUser[]> => {
  const members = await readMembers(store, families.users.key(), userKey);
  return members.flatMap(({ id, fields }) => parseUser(id, fields) ?? []);
};

export const anyUser = async (store: Store): Promise<boolean> =>
  (await store.use((redis) => redis.scard(families.users.key()))) > 0;

const pairs = (reply: Buffer[]): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (let i = 0; i < reply.length; i += 2) fields[reply[i]!.toString()] = reply[i + 1]!.toString();
  return fields;
};

const wireFields = (change: UserChange): string[] => {
  const fields: string[] = [];
  if (change.name !== undefined) fields.push('name', change.name);
  if (change.role !== undefined) fields.push('role', change.role);
  if (change.disabled !== undefined) fields.push('disabled', change.disabled ? '1' : '0');
  if (change.passwordHash !== undefined) fields.push('passwordHash', change.passwordHash);
  return fields;
};

export type UserUpdate =
  | { ok: true; before: StoredUser; after: StoredUser; tokensEnded: number }
  | { ok: false; reason: 'not-found' | 'last-admin' };

/**
 * Ends the API tokens of a user and answers how many there were; one that is made meanwhile is met when they are
 * read again.
 */
const endTokens = async (store: Store, owner: string, now: number): Promise<number> => {
  for (let ended = 0; ; ) {
    const tokens = tokensOf(await listApiTokens(store), owner, now);
    if (tokens.length === 0) return ended;
    for (const { id } of tokens) if (await revokeApiToken(store, id)) ended += 1;
  }
};

/**
 * Changes a user. Disabling and a new password end the user's sessions and API tokens, a role that may not do all
 * that the old one did the tokens. Refuses what would leave no enabled admin. Throws the store's 503 `Problem`.
 */
export const updateUser = async (store: Store, id: string, change: UserChange): Promise<UserUpdate> => {
  const takesAdmin = change.disabled === true || (change.role !== undefined && change.role !== 'admin');
  const endsSessions = change.endSessions || change.disabled === true || change.passwordHash !== undefined;
  const others = takesAdmin ? await store.use((redis) => redis.smembers(families.users.key())) : [];
  const [, , state, before, after] = (await store.run(
    'user-update',
    [id, ...others].map((each) => userKey(each)),
    [takesAdmin ? '1' : '0', endsSessions ? '1' : '0', ...wireFields(change)],
  )) as [number, number, number, Buffer[], Buffer[]];
  if (state !== 1) return { ok: false, reason: state === 0 ? 'not-found' : 'last-admin' };
  const [was, is] = [parseUser(id, pairs(before))!, parseUser(id, pairs(after))!];
  usersSeen.set(id, is);
  const endsTokens =
    change.disabled === true ||
    change.passwordHash !== undefined ||
    lowerRole(was.role, is.role) !== was.role;
  return {
    ok: true,
    before: was,
    after: is,
    tokensEnded: endsTokens ? await endTokens(store, id, Date.now()) : 0,
  };
};

/** Notes that the user was here, at most once a minute. */
export const touchUser = async (store: Store, user: StoredUser, now: number): Promise<void> => {
  if (user.lastSeenAt !== null && now - user.lastSeenAt < MINUTE) return;
  user.lastSeenAt = now;
  await store.run('hash-touch', [userKey(user.id)], ['lastSeenAt', String(now)]);
};
