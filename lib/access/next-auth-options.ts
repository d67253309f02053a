import 'server-only';
import type { AuthOptions } from 'next-auth';
import Credentials from 'next-auth/providers/credentials';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { recordEvent } from '@/lib/audit/record';
import { discoveryUrl, env, type OidcSettings } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { log, logBroken } from '@/lib/log';
import { store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { SECOND } from '@/lib/time';
import { makeDevice } from './device';
import type { Claims } from './oidc-claims';
import { PROVIDER_TIMEOUT_MS } from './provider-client';
import { PROVIDER_ERRORS } from './provider-errors';
import { beginAtProvider, type ProviderAnswer, signOutAtProvider } from './provider-sign-in';
import { type FactorNeeded, givenFactor } from './second-factor/schema';
import { recordStepUp } from './second-factor/step-up';
import { endSession, SESSION_MS, sessionDigest, startSession } from './session-records';
import { signIn } from './sign-in';
import { actorOfSession, claimsOf, sessionSecret, usesSecureCookies } from './user-sessions';

type BegunSession = Awaited<ReturnType<typeof startSession>> & { by?: 'oidc' };

/** One request to next-auth, and results that its own answer does not carry. */
export interface AuthExchange {
  address: string;
  /** The console's own origin, as the browser knows it. */
  origin: string;
  requestId: string;
  /** The device cookie of the request; after a sign-in the new one is in `newDevice`. */
  device: string | null;
  newDevice?: string;
  /** Whether the OpenID provider did not answer, or not as asked. */
  providerFailed?: boolean;
  /** After a sign-out, where the provider ends its own session. */
  providerSignOut?: string | null;
  /** Why the sign-in failed, when it is more than wrong credentials: throttled, store unreachable. */
  problem: Problem | null;
}

const throttled = (seconds: number): Problem =>
  new Problem('throttled', `Too many failed sign-ins. Try again in ${seconds} s.`, {
    extensions: { retryAfterSeconds: seconds },
  });

const factorNeeded = (needed: FactorNeeded): Problem =>
  new Problem(
    'second_factor_required',
    needed.isWrong ? 'This code is wrong, or was used before.' : 'This account needs a second factor.',
    { extensions: { secondFactor: needed } },
  );

/** The second step of a form: a code, or a passkey's answer as JSON; null where it is not well-formed. */
const secondStepOf = ({ factor, setUp }: Record<string, unknown> = {}) => ({
  factor: typeof factor === 'string' ? parseStored(givenFactor, factor) : null,
  setUp: typeof setUp === 'string' ? setUp : null,
});

const authorizeWith =
  (exchange: AuthExchange, signedIn: (begun: BegunSession) => void) =>
  async (credentials: Record<string, unknown> | undefined) => {
    const { email, password } = credentials ?? {};
    if (typeof email !== 'string' || typeof password !== 'string') return null;
    // No password is that long, and Argon2 would hash all of it.
    if (password.length > 1024) return null;
    const { address, requestId, device } = exchange;
    try {
      const second = secondStepOf(credentials);
      const outcome = await signIn({ email, password, address, requestId, device, ...second });
      if (outcome.ok) {
        exchange.newDevice = makeDevice(outcome.user, Date.now());
        const begun = await startSession(store(), outcome.user, Date.now());
        if (outcome.gaveFactor) await recordStepUp(store(), sessionDigest(begun.session), Date.now());
        signedIn(begun);
        return { id: outcome.user.id, email: outcome.user.email, name: outcome.user.name };
      }
      if (outcome.reason === 'throttled') exchange.problem = throttled(outcome.retryAfterSeconds);
      if (outcome.reason === 'second-factor') exchange.problem = factorNeeded(outcome.needed);
      return null;
    } catch (error) {
      exchange.problem =
        error instanceof Problem
          ? error
          : new Problem('internal', 'Sign-in failed because of an internal error.');
      return null;
    }
  };

/** Where next-auth may redirect a browser: within our own origin and path. */
export const safeCallbackUrl = (url: unknown, origin: string): string => {
  const home = `${origin}${env().basePath}/`;
  if (typeof url !== 'string' || !URL.canParse(url, home)) return home;
  const target = new URL(url, home);
  return target.origin === origin && /^https?:$/.test(target.protocol) ? target.href : home;
};

/** The company's OpenID provider; next-auth verifies its answer: signature, issuer, audience, expiry, state, nonce, PKCE. */
const openIdProvider = (settings: OidcSettings): OAuthConfig<Claims> => ({
  id: 'oidc',
  name: settings.name,
  type: 'oauth',
  issuer: settings.issuer,
  wellKnown: discoveryUrl(settings),
  authorization: { params: { scope: settings.scope } },
  idToken: true,
  checks: ['pkce', 'state', 'nonce'],
  clientId: settings.clientId,
  clientSecret: settings.clientSecret,
  httpOptions: { timeout: PROVIDER_TIMEOUT_MS },
  profile: ({ sub }) => ({ id: String(sub) }),
});

const signInWithProvider = async (
  answer: ProviderAnswer,
  exchange: AuthExchange,
  signedIn: (begun: BegunSession) => void,
): Promise<boolean | string> => {
  const { oidc, basePath } = env();
  try {
    const begun = oidc && (await beginAtProvider(answer, oidc, exchange));
    if (!begun) return `${exchange.origin}${basePath}/sign-in?error=${PROVIDER_ERRORS.refused}`;
    signedIn(begun);
    return true;
  } catch (error) {
    // next-auth would put the message into an address.
    if (!(error instanceof Problem)) logBroken('sign-in at the provider', error);
    exchange.providerFailed = true;
    return false;
  }
};

const callbacksFor = (
  exchange: AuthExchange,
  begunSession: () => BegunSession | null,
  signedIn: (begun: BegunSession) => void,
): AuthOptions['callbacks'] => ({
  signIn: ({ account, profile }) =>
    account?.provider === 'oidc'
      ? signInWithProvider({ claims: profile as Claims | undefined, tokens: account }, exchange, signedIn)
      : true,
  jwt: async ({ token, trigger }) => {
    const begun = trigger === 'signIn' ? begunSession() : null;
    if (begun) return begun;
    const claims = claimsOf(token);
    const holds = claims && Date.now() - claims.signedInAt < SESSION_MS;
    // A store failure must not delete the cookie.
    const unknown = (error: unknown) => {
      if (error instanceof Problem) exchange.problem = error;
      return null;
    };
    const actor = holds ? await actorOfSession(claims, Date.now()).catch(unknown) : null;
    if (!actor) throw new Error('The session has ended.');
    return { ...token, name: actor.name, role: actor.role };
  },
  session: ({ session, token }) => {
    const claims = claimsOf(token);
    if (!claims) return session;
    const { id, email, name, role } = claims;
    const expires = new Date(claims.signedInAt + SESSION_MS).toISOString();
    return { expires, user: { id, email, name, role } };
  },
  redirect: ({ url }) => safeCallbackUrl(url, exchange.origin),
});

const recordSignOut = async (
  token: Parameters<typeof claimsOf>[0],
  exchange: AuthExchange,
): Promise<void> => {
  const claims = claimsOf(token);
  if (!claims) return;
  const isEnded = await endSession(store(), claims.session);
  if (claims.by === 'oidc') exchange.providerSignOut = await signOutAtProvider(claims.session);
  // A cookie outlives its session: replaying it does not fill the log.
  if (!isEnded) return;
  const { id, email, name, role } = claims;
  const actor = { kind: 'user' as const, id, email, name, role };
  const { requestId } = exchange;
  await recordEvent({ actor, action: 'session.signOut', target: email, outcome: 'succeeded', requestId });
};

/** The provider is unreachable, or its answer was forged, expired, replayed, or not asked for. */
const PROVIDER_FAILURES = new Set([
  'SIGNIN_OAUTH_ERROR',
  'OAUTH_CALLBACK_ERROR',
  'OAUTH_CALLBACK_HANDLER_ERROR',
]);

/** next-auth's options for one exchange: credentials, an encrypted JWT of at most 8 h, our own pages. */
export const nextAuthOptions = (exchange: AuthExchange): AuthOptions => {
  let begun: BegunSession | null = null;
  const signedIn = (session: BegunSession) => {
    begun = session;
  };
  const { oidc } = env();
  const maxAge = SESSION_MS / SECOND;
  const signInPage = `${env().basePath}/sign-in`;
  return {
    secret: sessionSecret(),
    useSecureCookies: usesSecureCookies(),
    session: { strategy: 'jwt', maxAge },
    jwt: { maxAge },
    pages: { signIn: signInPage, signOut: signInPage, error: signInPage },
    providers: [
      Credentials({
        id: 'credentials',
        name: 'Keyward',
        credentials: {
          email: { label: 'E-mail', type: 'email' },
          password: { label: 'Password', type: 'password' },
        },
        authorize: authorizeWith(exchange, signedIn),
      }),
      ...(oidc ? [openIdProvider(oidc)] : []),
    ],
    callbacks: callbacksFor(exchange, () => begun, signedIn),
    events: { signOut: ({ token }) => recordSignOut(token, exchange) },
    // next-auth's own messages repeat requests, and an ended session is not an error.
    logger: {
      error: (code) => {
        if (code === 'JWT_SESSION_ERROR') return;
        log('error', `next-auth: ${code}`);
        if (PROVIDER_FAILURES.has(code)) exchange.providerFailed = true;
      },
      warn: () => undefined,
      debug: () => undefined,
    },
  };
};
