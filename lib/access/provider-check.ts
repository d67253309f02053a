import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserinfoResponse } from 'openid-client';
import { inBackground } from '@/lib/background';
import { env, type OidcSettings } from '@/lib/configuration';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { withLease } from '@/lib/redis/lease';
import { store } from '@/lib/redis/store';
import { SingleFlight } from '@/lib/single-flight';
import { MINUTE, SECOND } from '@/lib/time';
import { lastKnown } from './last-known';
import { type Claims, claimAt } from './oidc-claims';
import { followClaims, userOfSubject } from './oidc-sign-in';
import { REFUSALS } from './outside-users';
import { providerClient, within } from './provider-client';
import {
  endProviderSession,
  type ProviderSession,
  type ProviderTokens,
  readProviderSession,
  tokensIn,
  updateProviderSession,
} from './provider-sessions';
import { sessionDigest } from './session-records';

/** How often the provider is asked whether a session in use goes on. */
export const RECHECK_MS = 5 * MINUTE;
/** How long a session goes on without a confirmation: the provider is down, or its access token has expired. */
export const MAX_UNCONFIRMED_MS = 30 * MINUTE;
const RETRY_MS = MINUTE;
/** A session that was not used for so long waits for the provider's answer. */
const IDLE_MS = 2 * RECHECK_MS;
/** Discovery, tokens and claims together. */
const CHECK_MS = 15 * SECOND;
const LEASE_MS = 2 * CHECK_MS;
/** How often a request looks for the result of another process. */
const WAIT_MS = 250;
const MAX_WAITS = CHECK_MS / WAIT_MS;

/** Until when a session needs no look at its record, by digest. */
const confirmed = lastKnown<number>('provider-sessions-confirmed');
const checks = processWide('provider-checks', () => new SingleFlight<boolean>());

const dueAt = ({ confirmedAt, checkedAt }: ProviderSession): number =>
  checkedAt + (confirmedAt === checkedAt ? RECHECK_MS : RETRY_MS);

type Answer =
  | { kind: 'confirmed'; claims: Claims; isComplete: boolean; tokens: Partial<ProviderSession> }
  | { kind: 'refused'; detail: string }
  /** The provider is down, or its answer is none. */
  | { kind: 'unknown' };

/** By which a provider refuses a refresh token (RFC 6749, 5.2; OpenID Connect Core 1.0, 3.1.2.6). */
const REFUSED_TOKEN = new Set([
  'invalid_grant',
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
]);

const refusalIn = (error: unknown): Answer => {
  const { error: code, response } = error as { error?: string; response?: { statusCode?: number } };
  // Where the console's own credentials are wrong the provider says `invalid_client`, which is not about the user.
  const isRefused =
    REFUSED_TOKEN.has(code ?? '') || (response?.statusCode === 401 && code !== 'invalid_client');
  return isRefused
    ? { kind: 'refused', detail: 'the provider no longer confirms the sign-in' }
    : { kind: 'unknown' };
};

const answerAbout = async (session: ProviderSession, settings: OidcSettings): Promise<Answer> => {
  const { refreshToken, accessToken, accessUntil } = session;
  const client = await providerClient(settings);
  let token = accessToken;
  let tokens: Partial<ProviderSession> = {};
  if (refreshToken !== null) {
    const answer = await client.refresh(refreshToken);
    // Most providers replace the refresh token by a new one, and some keep it.
    tokens = tokensIn({ refresh_token: refreshToken, ...(answer as ProviderTokens) });
    if (answer.id_token) return { kind: 'confirmed', claims: answer.claims(), isComplete: true, tokens };
    token = answer.access_token ?? null;
  } else if (accessUntil !== null && accessUntil <= Date.now()) return { kind: 'unknown' };
  if (token === null || !client.issuer.metadata.userinfo_endpoint) return { kind: 'unknown' };
  const claims: UserinfoResponse = await client.userinfo(token);
  const hasGroups = claimAt(claims, settings.roleClaim) !== undefined || session.hasGroups;
  tokens = { ...tokens, hasGroups };
  return { kind: 'confirmed', claims: { ...claims, iss: session.issuer }, isComplete: hasGroups, tokens };
};

/** Applies what the provider confirmed. Returns why the session ends; null where it goes on. */
const apply = async (
  digest: string,
  session: ProviderSession,
  { claims, isComplete, tokens }: Extract<Answer, { kind: 'confirmed' }>,
  settings: OidcSettings,
): Promise<string | null> => {
  const next = { ...session, ...tokens };
  // The old refresh token may be void already: the new one is stored before anything else.
  await updateProviderSession(store(), digest, next);
  if (claims.iss !== session.issuer || claims.sub !== session.subject)
    return 'the provider names another subject';
  const user = await userOfSubject(session.user, `${session.issuer} ${session.subject}`);
  const refusal = user ? await followClaims(user, claims, settings, isComplete) : 'refused-record';
  if (refusal) return REFUSALS[refusal];
  const now = Date.now();
  await updateProviderSession(store(), digest, { ...next, confirmedAt: now, checkedAt: now });
  return null;
};

const checkOnce = async (digest: string, settings: OidcSettings): Promise<void> => {
  const session = await readProviderSession(store(), digest);
  // Another process may have asked meanwhile.
  if (!session || Date.now() < dueAt(session)) return;
  const host = new URL(settings.issuer).host;
  const end = (why: 'refused' | 'unconfirmed', detail: string) =>
    endProviderSession(digest, session, { why, detail: `ended: ${detail}, by ${host}` });
  const answer = await within(CHECK_MS, answerAbout(session, settings)).catch(refusalIn);
  if (answer.kind === 'refused') return end('refused', answer.detail);
  if (answer.kind === 'confirmed') {
    const refusal = await apply(digest, session, answer, settings);
    if (refusal) await end('refused', refusal);
    return;
  }
  const now = Date.now();
  if (now - session.confirmedAt >= MAX_UNCONFIRMED_MS)
    return end('unconfirmed', `not confirmed for ${MAX_UNCONFIRMED_MS / MINUTE} minutes`);
  await updateProviderSession(store(), digest, { ...session, checkedAt: now });
};

/** Asks the provider about a session. Returns whether another process is asking. Never rejects. */
const check = (digest: string, settings: OidcSettings): Promise<boolean> =>
  checks().run(digest, async () => {
    const lease = consoleFamilies.lease.key({ name: `provider-check-${digest}` });
    try {
      return !(await withLease(store(), lease, { ms: LEASE_MS }, () => checkOnce(digest, settings))).ok;
    } catch (error) {
      // The next use of the session asks again.
      if (!isStoreUnavailable(error)) logBroken('the check of a session at the provider', error);
      return false;
    }
  });

/** Whether a session was confirmed lately, after another process has asked if one does. */
const isConfirmedAfter = async (digest: string, isElsewhere: boolean, now: number): Promise<boolean> => {
  for (let waits = isElsewhere ? MAX_WAITS : 0; ; waits--) {
    const found = await readProviderSession(store(), digest);
    if (!found || now - found.confirmedAt < MAX_UNCONFIRMED_MS) return found !== null;
    if (waits === 0) return false;
    await sleep(WAIT_MS);
  }
};

/**
 * Whether a session that began at the provider goes on. Every five minutes of use the provider is asked, beside the
 * request; after a longer pause the request waits for the answer. Throws the store's 503 `Problem`.
 */
export const isConfirmed = async (session: string, now: number): Promise<boolean> => {
  const { oidc } = env();
  if (!oidc) return false;
  const digest = sessionDigest(session);
  if (now < (confirmed.get(digest) ?? 0)) return true;
  const found = await readProviderSession(store(), digest);
  if (!found) return false;
  if (now < dueAt(found)) {
    confirmed.set(digest, dueAt(found));
    return true;
  }
  const checked = check(digest, oidc);
  if (now - found.checkedAt < IDLE_MS && now - found.confirmedAt < MAX_UNCONFIRMED_MS) {
    inBackground(checked);
    return true;
  }
  return isConfirmedAfter(digest, await checked, now);
};
