import 'server-only';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { anonymous, systemActor } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import { env, isProviderAddress, type OidcSettings } from '@/lib/configuration';
import { notFound, Problem } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWide } from '@/lib/process-wide';
import { store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { BY_PROVIDER } from './oidc-sign-in';
import { findUserBySubject } from './outside-users';
import { clientAddress } from './peer';
import { CLOCK_TOLERANCE_S, PROVIDER_TIMEOUT_MS, providerClient, within } from './provider-client';
import { endProviderSession, readProviderSession, sessionsOfSid } from './provider-sessions';
import { MAX_SINGLE_FAILURES } from './sign-in';
import { readSmallBody } from './small-body';
import { logoutBucket, refundAttempt, takeAttempt } from './throttle';
import { updateUser } from './users';

/** OpenID Connect Back-Channel Logout 1.0, section 2.4. */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_AGE_MS = 5 * MINUTE;
/** A used token is remembered until its age refuses it. */
const REMEMBERED_MS = MAX_AGE_MS + 2 * CLOCK_TOLERANCE_S * SECOND;
const MAX_ID = 256;

type KeySet = ReturnType<typeof createRemoteJWKSet>;
const keySets = processWide('provider-keys', () => ({ of: '', keys: null as KeySet | null }));

/** The provider's keys; fetched again for an unknown one, at most every 30 s. */
const keysAt = (url: string): KeySet => {
  const { of, keys } = keySets();
  if (keys && of === url) return keys;
  const next = createRemoteJWKSet(new URL(url), { timeoutDuration: PROVIDER_TIMEOUT_MS });
  keySets.replace({ of: url, keys: next });
  return next;
};

interface Logout {
  issuer: string;
  sid: string | null;
  sub: string | null;
  jti: string;
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID ? value : null;

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a verified token asks for; null where it is no logout token. */
const logoutIn = ({ iss, sub, sid, jti, events, nonce }: JWTPayload): Logout | null => {
  const isEvent = isRecord(events) && isRecord((events as Record<string, unknown>)[EVENT]);
  // With a nonce it is an ID token.
  if (!isEvent || nonce !== undefined) return null;
  const logout = { issuer: text(iss), sid: text(sid), sub: text(sub), jti: text(jti) };
  const isComplete = logout.issuer !== null && logout.jti !== null && (logout.sid ?? logout.sub) !== null;
  return isComplete ? (logout as Logout) : null;
};

const verified = async (token: string, settings: OidcSettings): Promise<Logout | null> => {
  const { issuer } = await within(PROVIDER_TIMEOUT_MS, providerClient(settings));
  const { jwks_uri: keys } = issuer.metadata;
  if (!keys || !isProviderAddress(keys)) return null;
  const { payload } = await jwtVerify(token, keysAt(keys), {
    issuer: issuer.metadata.issuer,
    audience: settings.clientId,
    // As for ID tokens, whose algorithm every provider has.
    algorithms: ['RS256'],
    clockTolerance: CLOCK_TOLERANCE_S,
    maxTokenAge: MAX_AGE_MS / SECOND,
    requiredClaims: ['iat', 'jti'],
  });
  return logoutIn(payload);
};

const sessionEnded = { why: 'refused' as const, detail: 'signed out at the provider' };

/** Ends the sessions of a session at the provider. */
const endSid = async ({ issuer, sub }: Logout, sid: string, requestId: string): Promise<void> => {
  for (const digest of await sessionsOfSid(store(), issuer, sid)) {
    const session = await readProviderSession(store(), digest);
    if (!session || (sub !== null && session.subject !== sub)) continue;
    await endProviderSession(digest, session, { ...sessionEnded, requestId });
  }
};

/** Ends all sessions of a subject's user, also those that began with a password. */
const endSubject = async (subject: string, requestId: string): Promise<void> => {
  const user = await findUserBySubject(store(), subject);
  if (!user || user === 'refused-record') return;
  const updated = await updateUser(store(), user.id, { endSessions: true });
  if (!updated.ok) return;
  await recordEvent({
    actor: systemActor(BY_PROVIDER),
    action: 'session.signOut',
    target: user.email,
    outcome: 'succeeded',
    detail: `${sessionEnded.detail}, all sessions`,
    requestId,
  });
};

const usedKey = ({ issuer, jti }: Logout): Buffer =>
  consoleFamilies.logoutToken.key({ digest: digest('provider-session', `logout ${issuer} ${jti}`) });

/** False for a token that was used before. */
const apply = async (logout: Logout, requestId: string): Promise<boolean> => {
  const key = usedKey(logout);
  const isNew = await store().use((redis) => redis.set(key, '1', 'PX', REMEMBERED_MS, 'NX'));
  if (!isNew) return false;
  try {
    if (logout.sid !== null) await endSid(logout, logout.sid, requestId);
    else await endSubject(`${logout.issuer} ${logout.sub}`, requestId);
  } catch (error) {
    // The provider may send it again.
    await store()
      .use((redis) => redis.del(key))
      .catch(() => undefined);
    throw error;
  }
  return true;
};

const refused = async (why: string, address: string, requestId: string): Promise<Problem> => {
  const event = { actor: anonymous(), action: 'session.signOut', requestId };
  const detail = `back-channel sign-out refused: ${why}, from ${address}`;
  await recordRefusal({ ...event, detail }, MAX_SINGLE_FAILURES);
  return new Problem('bad_input', 'The logout token is not valid.');
};

const tokenIn = async (request: Request): Promise<string | null> => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null;
  const tokens = new URLSearchParams(await readSmallBody(request)).getAll('logout_token');
  return tokens.length === 1 ? tokens[0]! : null;
};

/**
 * A provider's sign-out of its users (OpenID Connect Back-Channel Logout 1.0). It has no cookie and no origin: its token
 * is all that counts. Throws a `Problem`: 400 for a token that is not valid or was used, 404 without a provider, 413, 429,
 * 503 without the store.
 */
export const handleBackchannelLogout = async (request: Request, requestId: string): Promise<Response> => {
  const { oidc } = env();
  if (!oidc) throw notFound('This operation');
  const address = clientAddress(request.headers);
  const buckets = [logoutBucket(address)];
  const retryAfterSeconds = await takeAttempt(store(), buckets, Date.now());
  if (retryAfterSeconds > 0)
    throw new Problem('throttled', `Too many refused tokens. Try again in ${retryAfterSeconds} s.`, {
      extensions: { retryAfterSeconds },
    });
  const token = await tokenIn(request);
  if (!token) throw await refused('there is no token', address, requestId);
  const logout = await verified(token, oidc).catch(() => null);
  if (!logout) throw await refused('the token is not valid, or the provider is down', address, requestId);
  if (!(await apply(logout, requestId))) throw await refused('the token was used', address, requestId);
  await refundAttempt(store(), buckets);
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
};
