import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { indexKeyOf, type SessionKey } from './keys';
import { readExisting } from './keyspace';
import { type StoredValue, storageOf } from './storage';
import { readValues } from './stored-values';

/**
 * Adds the users of sessions whose keys do not contain them, by reading their values. Null stays null, and sessions
 * that do not exist become null. Keys that contain their user are returned unchanged, existing or not.
 */
export const withOwners = async (
  ctx: ReadContext,
  keys: readonly (SessionKey | null)[],
): Promise<readonly (SessionKey | null)[]> => {
  if (storageOf(ctx).userParam !== null) return keys;
  const unread = keys.filter((key) => key !== null);
  if (unread.length === 0) return keys;
  const values = await readValues(ctx, unread);
  let next = 0;
  return keys.map((key) => {
    const value = key && values[next++];
    if (!key || !value) return null;
    const { userId } = value;
    return { ...key, value, userId, index: userId === null ? null : indexKeyOf(ctx, userId) };
  });
};

/** The facts about a session before its value is read. */
type SessionPlace = Pick<SessionKey, 'storage' | 'key' | 'userId'>;

/** Whether a session found as one user's, by an index or an earlier read, now belongs to another user. */
export const isOfAnother = ({ userId }: Pick<SessionKey, 'userId'>, value: StoredValue): boolean =>
  userId !== null && value.userId !== null && value.userId !== userId;

/** The values of sessions; null where the session does not exist, or belongs to another user. */
export const readOwn = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(StoredValue | null)[]> => {
  const unread = keys.filter(({ value }) => value === undefined);
  const values = unread.length > 0 ? await readValues(ctx, unread) : [];
  const read = new Map(unread.map((key, i) => [key, values[i] ?? null]));
  return keys.map((key) => {
    const value = key.value ?? read.get(key) ?? null;
    return value && !isOfAnother(key, value) ? value : null;
  });
};

/**
 * The sessions that exist and still belong to their user, each with its TTL: seconds, null for never. Unreadable ones
 * are pushed to `unreadable`.
 */
export const readExistingSessions = async <K extends SessionPlace>(
  ctx: ReadContext,
  keys: readonly K[],
  unreadable: { push(one: { key: Key }): unknown },
): Promise<(K & { ttlSeconds: number | null })[]> => {
  const existing = await readExisting(ctx, keys, unreadable);
  const unsure = existing.filter(({ storage, userId }) => storage.userParam === null && userId !== null);
  if (unsure.length === 0) return existing;
  const values = await readValues(ctx, unsure);
  const gone = new Set(
    unsure.filter((key, i) => {
      const value = values[i];
      return !value || isOfAnother(key, value);
    }),
  );
  return existing.filter((key) => !gone.has(key));
};
