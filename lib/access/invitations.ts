import 'server-only';
import { randomBytes } from 'node:crypto';
import { sameDigest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { digestOf } from './api-tokens';
import { storedTime } from './members';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';
import { mayUsePassword } from './sign-in';
import { isInvited, type StoredUser, userFrom, userKey } from './users';

/** An invitation is for a user without a password; a reset replaces one. */
export type LinkKind = 'invitation' | 'reset';

const LIFETIME_MS: Record<LinkKind, number> = { invitation: 7 * DAY, reset: DAY };

/** The id of the user without dashes, and 32 random bytes, in hex: no mail program cuts off or changes a part of it. */
const CODE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{64}$/;
/** Read for a code of another form, so that every code costs the same reads. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const keyOf = (id: string): Buffer => consoleFamilies.invitation.key({ id });

export const kindFor = (user: StoredUser): LinkKind => (isInvited(user) ? 'invitation' : 'reset');

export interface MadeLink {
  /** Returned only here: the store has its SHA-256 digest. */
  code: string;
  kind: LinkKind;
  /** Epoch ms. */
  expiresAt: number;
}

/**
 * Makes the one code with which this user may set a password, in place of an older one. It ends with the epoch of the
 * user: with a password, a sign-out everywhere or disabling. Throws the store's 503 `Problem`.
 */
export const makeLink = async (store: Store, user: StoredUser, now: number): Promise<MadeLink> => {
  const { id, epoch } = user;
  const kind = kindFor(user);
  const code = id.replaceAll('-', '') + randomBytes(32).toString('hex');
  const expiresAt = now + LIFETIME_MS[kind];
  const fields: RecordFields = {
    digest: digestOf(code),
    kind,
    epoch: String(epoch),
    expiresAt: String(expiresAt),
  };
  const mac = recordMac('invitation', id, fields);
  await store.use(async (redis) => {
    const change = redis.multi().hset(keyOf(id), { ...fields, mac });
    allReplies(await change.pexpireat(keyOf(id), expiresAt).exec());
  });
  return { code, kind, expiresAt };
};

/** Until when (epoch ms) the user's link is valid; null where it is not. */
const validUntil = (user: StoredUser, fields: RecordFields, now: number): number | null => {
  const expiresAt = storedTime(fields.expiresAt);
  const isValid =
    expiresAt !== null &&
    now < expiresAt &&
    fields.epoch === String(user.epoch) &&
    // Whoever came by the provider meanwhile has no use for an invitation.
    fields.kind === kindFor(user) &&
    !user.disabled &&
    mayUsePassword(user.email);
  return isValid ? expiresAt : null;
};

export interface FoundLink {
  user: StoredUser;
  kind: LinkKind;
  expiresAt: number;
}

/**
 * The user of a code that is valid now; null for every other code, after the same reads. Throws the store's 503
 * `Problem`.
 */
export const findLink = async (store: Store, code: string, now: number): Promise<FoundLink | null> => {
  const id = CODE.exec(code)?.slice(1).join('-') ?? NOBODY;
  const [fields, userFields] = (await store.use(async (redis) =>
    allReplies(await redis.pipeline().hgetall(keyOf(id)).hgetall(userKey(id)).exec()),
  )) as [RecordFields, RecordFields];
  const matches = sameDigest(fields.digest ?? '', digestOf(code));
  if (!matches || !isTrusted('invitation', id, fields)) return null;
  const user = userFrom(id, userFields);
  const expiresAt = user && validUntil(user, fields, now);
  return user && expiresAt ? { user, kind: kindFor(user), expiresAt } : null;
};

/** Until when (epoch ms) each of these users has a valid link, by id. Throws the store's 503 `Problem`. */
export const linksOf = async (
  store: Store,
  users: readonly StoredUser[],
  now: number,
): Promise<Map<string, number>> => {
  const hashes = (await store.use(async (redis) => {
    const pipeline = redis.pipeline();
    for (const { id } of users) pipeline.hgetall(keyOf(id));
    return allReplies(await pipeline.exec());
  })) as RecordFields[];
  const untils = users.map((user, i) => {
    const fields = hashes[i]!;
    return isTrusted('invitation', user.id, fields) ? validUntil(user, fields, now) : null;
  });
  return new Map(users.flatMap(({ id }, i) => (untils[i] ? [[id, untils[i]]] : [])));
};
