import 'server-only';
import { createHash } from 'node:crypto';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { isRole, lowerRole, type UserRole } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { knownTokens, listApiTokens, revokeApiToken, tokenKeys, tokensOf } from './api-tokens';
import { lastKnown } from './last-known';
import { readMembers, storedTime } from './members';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';

export type { UserRole } from '@/lib/permissions';

/** A user as stored. Times are epoch ms. */
export interface StoredUser {
  id: string;
  /** Lower-cased; unique. */
  email: string;
  name: string;
  role: UserRole;
  disabled: boolean;
  createdAt: number;
  lastSeenAt: number | null;
  /** The session version: sessions of an older version have ended. */
  epoch: number;
  /** Empty for somebody who signs in at a provider only. */
  passwordHash: string;
  /** Issuer and subject of who signs in at an OpenID provider; null for a local account. */
  subject: string | null;
  /** Sealed (second-factor/record.ts); empty without one. */
  secondFactor: string;
}

export interface ListedUser extends StoredUser {
  /** Not written by the console: the user is refused and can only be disabled. */
  changedOutside: boolean;
  mac: string;
}

export interface NewUser {
  email: string;
  name: string;
  role: UserRole;
  passwordHash: string;
  subject?: string;
}

const families = consoleFamilies;

export const userKey = (id: string): Buffer => families.user.key({ id });

/**
 * The key of an address. A plain digest: it keeps addresses out of key names, and the user's hash contains the address
 * anyway.
 */
const emailKey = (email: string): Buffer =>
  families.userEmail.key({ digest: createHash('sha256').update(email.toLowerCase()).digest('base64url') });

const parseUser = (id: string, fields: RecordFields): StoredUser => ({
  id,
  email: fields.email ?? '',
  name: fields.name ?? '',
  role: isRole(fields.role) && fields.role !== 'evaluator' ? fields.role : 'viewer',
  // Disabled unless the record clearly says enabled.
  disabled: fields.disabled !== '0',
  createdAt: storedTime(fields.createdAt) ?? 0,
  lastSeenAt: storedTime(fields.lastSeenAt),
  epoch: Number(fields.epoch ?? 0),
  passwordHash: fields.passwordHash ?? '',
  subject: fields.subject ?? null,
  secondFactor: fields.secondFactor ?? '',
});

/** The stored fields of a user that its MAC covers. */
const sealedFields = (user: Omit<StoredUser, 'lastSeenAt'>): RecordFields => {
  const { id, email, name, role, passwordHash, subject } = user;
  const disabled = user.disabled ? '1' : '0';
  const [createdAt, epoch] = [String(user.createdAt), String(user.epoch)];
  const fields: RecordFields = { email, name, role, passwordHash, disabled, createdAt, epoch };
  if (subject !== null) fields.subject = subject;
  fields.secondFactor = user.secondFactor;
  return { ...fields, mac: recordMac('user', id, fields) };
};

/**
 * Creates a user. With `onlyFirst` only if there is none (first run): exactly one of several concurrent calls succeeds.
 * Throws the store's 503 `Problem`.
 */
export const createUser = async (
  store: Store,
  user: NewUser,
  options: { now: number; onlyFirst?: boolean },
): Promise<{ ok: true; user: StoredUser } | { ok: false; reason: 'email-taken' | 'not-first' }> => {
  const id = newId(options.now);
  const email = user.email.toLowerCase();
  const { subject = null } = user;
  const begun = { disabled: false, createdAt: options.now, epoch: 1, lastSeenAt: null, secondFactor: '' };
  const made: StoredUser = { ...user, ...begun, id, email, subject };
  const [, , created] = (await store.run(
    'user-create',
    [families.users.key(), emailKey(email), userKey(id)],
    [id, options.onlyFirst ? '1' : '0', ...Object.entries(sealedFields(made)).flat()],
  )) as number[];
  if (created !== 1) return { ok: false, reason: created === 0 ? 'email-taken' : 'not-first' };
  return { ok: true, user: made };
};

export const knownUsers = lastKnown<StoredUser | null>('users-seen');

/** Parses a stored user and remembers it for when the store is unreachable; null unless the console wrote it. */
export const userFrom = (id: string, fields: RecordFields): StoredUser | null => {
  const user = isTrusted('user', id, fields) ? parseUser(id, fields) : null;
  knownUsers.set(id, user);
  return user;
};

/** Null when there is no such user. Throws the store's 503 `Problem`. */
export const findUser = async (store: Store, id: string): Promise<StoredUser | null> =>
  userFrom(id, await store.use((redis) => redis.hgetall(userKey(id))));

export const findUserByEmail = async (store: Store, email: string): Promise<StoredUser | null> => {
  const id = await store.use((redis) => redis.get(emailKey(email)));
  const user = id ? await findUser(store, id) : null;
  // The lookup key is not authenticated, so the record must confirm the address.
  return user?.email === email.toLowerCase() ? user : null;
};

/** All users, oldest first, including refused ones. Unpaged: a console has few users. */
export const listUsers = async (store: Store): Promise<ListedUser[]> => {
  const members = await readMembers(store, families.users.key(), userKey);
  return members
    .filter(({ fields }) => Object.keys(fields).length > 0)
    .map(({ id, fields }) => ({
      ...parseUser(id, fields),
      changedOutside: !isTrusted('user', id, fields),
      mac: fields.mac ?? '',
    }));
};

export const anyUser = async (store: Store): Promise<boolean> =>
  (await store.use((redis) => redis.scard(families.users.key()))) > 0;

export interface UserChange {
  name?: string;
  role?: UserRole;
  disabled?: boolean;
  passwordHash?: string;
  subject?: string;
  secondFactor?: string;
  /** Raises the epoch, which ends all sessions of the user. */
  endSessions?: boolean;
}

export type UserUpdate =
  | { ok: true; before: StoredUser; after: StoredUser; tokensEnded: number }
  | { ok: false; reason: 'not-found' | 'last-admin' | 'changed-outside' | 'changed' };

const MAX_ATTEMPTS = 10;

/** Applies a change to a user. Of a record that somebody else wrote, only the claimed identity is kept. */
const changedUser = ({ changedOutside, mac: _, ...user }: ListedUser, change: UserChange): StoredUser => {
  const { endSessions, ...fields } = change;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const base: StoredUser = changedOutside
    ? { ...user, role: 'viewer', passwordHash: '', secondFactor: '', epoch: Date.now() }
    : user;
  const endsSessions = endSessions || change.disabled === true || change.passwordHash !== undefined;
  return { ...base, ...given, epoch: base.epoch + (endsSessions ? 1 : 0) };
};

/** Somebody who has neither a password nor signed in at a provider: invited, and not here yet. */
export const isInvited = ({ passwordHash, subject }: StoredUser): boolean =>
  passwordHash === '' && subject === null;

/** An invited admin cannot sign in, so the last admin may not rely on one. */
const isAdmin = (user: StoredUser): boolean => user.role === 'admin' && !user.disabled && !isInvited(user);

/** Ends a user's API tokens, repeatedly because one may be created meanwhile. Returns how many. */
const endTokens = async (store: Store, owner: string): Promise<number> => {
  for (let ended = 0; ; ) {
    const tokens = tokensOf(await listApiTokens(store), owner, Date.now());
    if (tokens.length === 0) return ended;
    for (const { id } of tokens) {
      const revoked = await revokeApiToken(store, id);
      if (revoked) ended += 1 + revoked.alsoEnded;
    }
  }
};

/** One attempt. Null where a record it depends on changed meanwhile. */
const attemptUpdate = async (
  store: Store,
  id: string,
  change: UserChange,
  epoch?: number,
): Promise<UserUpdate | null> => {
  const users = await listUsers(store);
  const user = users.find((candidate) => candidate.id === id);
  if (!user) return { ok: false, reason: 'not-found' };
  if (user.changedOutside && change.disabled !== true) return { ok: false, reason: 'changed-outside' };
  if (epoch !== undefined && user.epoch !== epoch) return { ok: false, reason: 'changed' };
  const after = changedUser(user, change);
  const takesAdmin = !user.changedOutside && isAdmin(user) && !isAdmin(after);
  const admins = users.filter(
    (other) => takesAdmin && other !== user && !other.changedOutside && isAdmin(other),
  );
  if (takesAdmin && admins.length === 0) return { ok: false, reason: 'last-admin' };
  const endsTokens =
    change.disabled || change.passwordHash !== undefined || lowerRole(user.role, after.role) !== user.role;
  const tokens = endsTokens ? tokensOf(await listApiTokens(store), id, Date.now()) : [];
  const [, , state] = (await store.run(
    'user-update',
    [userKey(id), ...admins.map((admin) => userKey(admin.id)), ...tokens.flatMap(tokenKeys)],
    [user.mac, admins.length, ...admins.map(({ mac }) => mac), ...Object.entries(sealedFields(after)).flat()],
  )) as number[];
  if (state !== 1) return null;
  knownUsers.set(id, after);
  for (const { digest } of tokens) knownTokens.set(digest, null);
  const tokensEnded = endsTokens ? tokens.length + (await endTokens(store, id)) : 0;
  return { ok: true, before: user, after, tokensEnded };
};

/**
 * Changes a user. Disabling and a new password end the user's sessions and API tokens; a role with fewer permissions
 * ends the tokens. Refuses a change that would leave no enabled admin, and with `epoch` one of a user of another epoch.
 * Throws the store's 503 `Problem`.
 */
export const updateUser = async (
  store: Store,
  id: string,
  change: UserChange,
  epoch?: number,
): Promise<UserUpdate> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const update = await attemptUpdate(store, id, change, epoch);
    if (update) return update;
  }
  throw new Problem('conflict', 'Other changes to users are in progress. Try again.');
};

/**
 * Removes a user who was invited and never signed in. False where the record changed meanwhile. Throws the store's 503
 * `Problem`.
 */
export const removeInvited = async (store: Store, user: StoredUser): Promise<boolean> => {
  const { id, email } = user;
  const keys = [families.users.key(), emailKey(email), userKey(id), families.invitation.key({ id })];
  const [, , removed] = (await store.run('user-remove', keys, [id, sealedFields(user).mac!])) as number[];
  if (removed === 1) knownUsers.set(id, null);
  return removed === 1;
};

/** Stores when the user was last active, at most once a minute. */
export const touchUser = async (store: Store, user: StoredUser, now: number): Promise<void> => {
  if (user.lastSeenAt !== null && now - user.lastSeenAt < MINUTE) return;
  user.lastSeenAt = now;
  await store.run('hash-touch', [userKey(user.id)], ['lastSeenAt', String(now)]);
};
