import 'server-only';
import { z } from 'zod';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { digest as keyedDigest, open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allReplies, type Store, store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { BY_PROVIDER } from './oidc-sign-in';
import { endSessionOf, SESSION_MS, sessionDigest } from './session-records';
import { findUser } from './users';

const openSession = z.object({
  state: z.literal('open'),
  /** The console's user. */
  user: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** The provider's own id of the session, if it names one. */
  sid: z.string().nullable(),
  refreshToken: z.string().nullable(),
  accessToken: z.string().nullable(),
  /** Epoch ms; null where the provider does not say. */
  accessUntil: z.number().nullable(),
  /** When the provider confirmed the session last, and when it was asked last. Epoch ms. */
  confirmedAt: z.number(),
  checkedAt: z.number(),
  /** Whether the user's groups were in an answer about the access token. */
  hasGroups: z.boolean(),
});
const ends = z.enum(['refused', 'unconfirmed']);
const ended = z.object({ state: z.literal('ended'), why: ends });
const record = z.discriminatedUnion('state', [openSession, ended]);

/** What the provider is asked with whether a session goes on. */
export type ProviderSession = z.output<typeof openSession>;
/** Why a session ended: the provider refused it, or confirmed it too long ago. */
export type SessionEnd = z.output<typeof ends>;

/** What next-auth has of the provider's answer. */
export interface ProviderTokens {
  refresh_token?: string | undefined;
  access_token?: string | undefined;
  /** Unix seconds. */
  expires_at?: number | undefined;
}

const keyOf = (digest: string): Buffer => consoleFamilies.providerSession.key({ digest });
const sidKey = (issuer: string, sid: string): Buffer =>
  consoleFamilies.providerSid.key({ digest: keyedDigest('provider-session', `${issuer} ${sid}`) });

const sealed = (digest: string, value: z.input<typeof record>): Buffer =>
  seal('provider-session', Buffer.from(JSON.stringify(value)), digest);

/** The tokens of a session after an answer of the provider. */
export const tokensIn = (tokens: ProviderTokens) => ({
  refreshToken: tokens.refresh_token ?? null,
  accessToken: tokens.access_token ?? null,
  accessUntil: tokens.expires_at === undefined ? null : tokens.expires_at * 1000,
});

/** Stores, sealed, what a session that began at the provider needs. Throws the store's 503 `Problem`. */
export const startProviderSession = async (
  store: Store,
  { session, user, now }: { session: string; user: string; now: number },
  { issuer, subject, sid }: Pick<ProviderSession, 'issuer' | 'subject' | 'sid'>,
  tokens: ProviderTokens,
): Promise<void> => {
  const digest = sessionDigest(session);
  const value = { state: 'open' as const, user, issuer, subject, sid, ...tokensIn(tokens) };
  const begun = sealed(digest, { ...value, confirmedAt: now, checkedAt: now, hasGroups: false });
  await store.use(async (redis) => {
    const writes = redis.multi().set(keyOf(digest), begun, 'PX', SESSION_MS);
    if (sid !== null) {
      writes.sadd(sidKey(issuer, sid), digest);
      writes.pexpire(sidKey(issuer, sid), SESSION_MS);
    }
    return allReplies(await writes.exec());
  });
};

const read = async (store: Store, digest: string) => {
  const stored = await store.use((redis) => redis.getBuffer(keyOf(digest)));
  return parseStored(record, stored && open('provider-session', stored, digest)?.toString());
};

/** Null where the session has ended. Throws the store's 503 `Problem`. */
export const readProviderSession = async (store: Store, digest: string): Promise<ProviderSession | null> => {
  const found = await read(store, digest);
  return found?.state === 'open' ? found : null;
};

/** Why the provider's part ended a session; null where it did not. */
export const sessionEnd = async (store: Store, session: string): Promise<SessionEnd | null> => {
  const found = await read(store, sessionDigest(session));
  return found?.state === 'ended' ? found.why : null;
};

const write = (store: Store, digest: string, value: z.input<typeof record>): Promise<unknown> =>
  // A session that was signed out meanwhile is not stored again.
  store.use((redis) => redis.set(keyOf(digest), sealed(digest, value), 'KEEPTTL', 'XX'));

export const updateProviderSession = (
  store: Store,
  digest: string,
  value: ProviderSession,
): Promise<unknown> => write(store, digest, value);

export const forgetProviderSession = (store: Store, session: string): Promise<unknown> =>
  store.use((redis) => redis.del(keyOf(sessionDigest(session))));

/** The digests of the sessions that began in one session at the provider. */
export const sessionsOfSid = async (store: Store, issuer: string, sid: string): Promise<string[]> => {
  const digests = await store.use((redis) => redis.smembers(sidKey(issuer, sid)));
  return digests.filter((digest) => /^[\w-]{43}$/.test(digest));
};

/** Ends a session in the name of the provider, with an audit entry. Throws the store's 503 `Problem`. */
export const endProviderSession = async (
  digest: string,
  session: Pick<ProviderSession, 'user'>,
  { why, detail, requestId = null }: { why: SessionEnd; detail: string; requestId?: string | null },
): Promise<void> => {
  await write(store(), digest, { state: 'ended', why });
  if (!(await endSessionOf(store(), digest))) return;
  await recordEvent({
    actor: systemActor(BY_PROVIDER),
    action: 'session.signOut',
    target: (await findUser(store(), session.user))?.email ?? null,
    outcome: 'succeeded',
    detail,
    requestId,
  });
};
