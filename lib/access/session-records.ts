import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWide } from '@/lib/process-wide';
import { allReplies, type Store } from '@/lib/redis/store';
import { HOUR, SECOND } from '@/lib/time';
import { lastKnown } from './last-known';
import { type RecordFields, recordMac } from './record-mac';
import { isTrusted } from './refused-records';
import { type StoredUser, userFrom, userKey } from './users';

/** The maximum length of a session, however much it is used. */
export const SESSION_MS = 8 * HOUR;
const RETRY_MS = 5 * SECOND;
const MAX_RETRIED = 5000;

/** The facts a session was started with. Its id is only in the cookie's claims. */
export interface SessionStart {
  user: string;
  epoch: number;
  /** Epoch ms. */
  signedInAt: number;
}

/** Under which digest a session is stored. */
export const sessionDigest = (id: string): string => createHash('sha256').update(id).digest('base64url');
const keyOf = (digest: string): Buffer => consoleFamilies.session.key({ digest });

/** Whether a session this process knows is valid. An ended session never becomes valid again. */
const knownSessions = lastKnown<boolean>('sessions-seen');

export const knownSession = (id: string): boolean | undefined => knownSessions.get(sessionDigest(id));

/** Starts a session with an unguessable id. Returns the claims of its cookie. Throws the store's 503 `Problem`. */
export const startSession = async (store: Store, user: StoredUser, now: number) => {
  const session = randomBytes(32).toString('base64url');
  const digest = sessionDigest(session);
  const { id, email, name, role, epoch } = user;
  const fields: RecordFields = { user: id, epoch: String(epoch), signedInAt: String(now) };
  const mac = recordMac('session', digest, fields);
  await store.use(async (redis) =>
    allReplies(
      await redis
        .multi()
        .hset(keyOf(digest), { ...fields, mac })
        .pexpire(keyOf(digest), SESSION_MS)
        .exec(),
    ),
  );
  return { sub: id, email, name, role, epoch, signedInAt: now, session };
};

/** Whether a session is valid, and its user as stored. Throws the store's 503 `Problem`. */
export const findSession = async (
  store: Store,
  id: string,
  { user, epoch, signedInAt }: SessionStart,
): Promise<{ holds: boolean; user: StoredUser | null }> => {
  const digest = sessionDigest(id);
  const [fields, userFields] = (await store.use(async (redis) =>
    allReplies(await redis.pipeline().hgetall(keyOf(digest)).hgetall(userKey(user)).exec()),
  )) as [RecordFields, RecordFields];
  const begun =
    fields.user === user && fields.epoch === String(epoch) && fields.signedInAt === String(signedInAt);
  const holds = knownSessions.get(digest) !== false && begun && isTrusted('session', digest, fields);
  knownSessions.set(digest, holds);
  return { holds, user: userFrom(user, userFields) };
};

/** Sessions whose end is to be retried: one timer each, however often somebody signs out. */
const retried = processWide('sessions-retried', () => new Set<string>());

const retryLater = (digest: string, retry: () => unknown): void => {
  if (retried().has(digest) || retried().size >= MAX_RETRIED) return;
  retried().add(digest);
  setTimeout(() => {
    retried().delete(digest);
    retry();
  }, RETRY_MS).unref();
};

/**
 * Ends a session: in this process immediately, in every other one by deleting its record. While the store is unreachable,
 * or a failover could bring the record back, that is repeated until the session would expire anyway. Returns whether
 * there was a record.
 */
export const endSessionOf = async (
  store: Store,
  digest: string,
  until = Date.now() + SESSION_MS,
): Promise<boolean> => {
  knownSessions.set(digest, false);
  const ended = await store
    .withReplica(async (redis, confirm) => ({
      isFound: (await redis.del(keyOf(digest))) === 1,
      isLasting: await confirm(),
    }))
    .catch(() => ({ isFound: false, isLasting: false }));
  if (!ended.isLasting && Date.now() < until) retryLater(digest, () => endSessionOf(store, digest, until));
  return ended.isFound;
};

export const endSession = (store: Store, id: string): Promise<boolean> =>
  endSessionOf(store, sessionDigest(id));
