import 'server-only';
import type { AuthOptions } from 'next-auth';
import Credentials from 'next-auth/providers/credentials';
import { recordEvent } from '@/lib/audit/record';
import { env } from '@/lib/env';
import { Problem } from '@/lib/errors';
import { SECOND } from '@/lib/time';
import { makeDevice } from './device';
import { signIn } from './sign-in';
import { actorOfSession, claimsOf, SESSION_MS, sessionSecret, usesSecureCookies } from './user-sessions';
import type { StoredUser } from './users';

/** One request to next-auth, and what it came to besides next-auth's own answer. */
export interface AuthExchange {
  address: string;
  /** The console's own, as the browser knows it. */
  origin: string;
  requestId: string;
  /** The device cookie as it came; after a sign-in the new one is in `newDevice`. */
  device: string | null;
  newDevice?: string;
  /** Why nobody could be signed in, when that is more than wrong credentials: throttled, store gone. */
  problem: Problem | null;
}

const throttled = (seconds: number): Problem =>
  new Problem('throttled', `Too many failed sign-ins. Try again in ${seconds} s.`, {
    extensions: { retryAfterSeconds: seconds },
  });

const authorizeWith =
  (exchange: AuthExchange, signedIn: (user: StoredUser) => void) =>
  async (credentials: Record<string, unknown> | undefined) => {
    const { email, password } = credentials ?? {};
    if (typeof email !== 'string' || typeof password !== 'string') return null;
    // Argon2 would hash a megabyte; no password is that long.
    if (password.length > 1024) return null;
    const { address, requestId, device } = exchange;
    try {
      const outcome = await signIn({ email, password, address, requestId, device });
      if (outcome.ok) {
        exchange.newDevice = makeDevice(outcome.user, Date.now());
        signedIn(outcome.user);
        return { id: outcome.user.id, email: outcome.user.email, name: outcome.user.name };
      }
      if (outcome.reason === 'throttled') exchange.problem = throttled(outcome.retryAfterSeconds);
      return null;
    } catch (error) {
      exchange.problem = error instanceof Problem ? error : new Problem('internal', 'Signing in broke.');
      return null;
    }
  };

/** Where next-auth may send a browser: within our own origin and path. */
export const safeCallbackUrl = (url: unknown, origin: string): string => {
  const home = `${origin}${env().basePath}/`;
  if (typeof url !== 'string' || !URL.canParse(url, home)) return home;
  const target = new URL(url, home);
  return target.origin === origin && /^https?:$/.test(target.protocol) ? target.href : home;
};

const callbacksFor = (origin: string, signedInUser: () => StoredUser | null): AuthOptions['callbacks'] => ({
  jwt: async ({ token, trigger }) => {
    const user = trigger === 'signIn' ? signedInUser() : null;
    if (user) {
      const { id, email, name, role, epoch } = user;
      return { sub: id, email, name, role, epoch, signedInAt: Date.now() };
    }
    const claims = claimsOf(token);
    const holds = claims && Date.now() - claims.signedInAt < SESSION_MS;
    const actor = holds ? await actorOfSession(claims, Date.now()) : null;
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
  redirect: ({ url }) => safeCallbackUrl(url, origin),
});

const recordSignOut = async (token: Parameters<typeof claimsOf>[0], requestId: string): Promise<void> => {
  const claims = claimsOf(token);
  if (!claims) return;
  const { id, email, name, role } = claims;
  const actor = { kind: 'user' as const, id, email, name, role };
  await recordEvent({ actor, action: 'session.signOut', target: email, outcome: 'succeeded', requestId });
};

/** What next-auth is for one exchange: credentials, an encrypted JWT of at most 8 h, our own pages. */
export const nextAuthOptions = (exchange: AuthExchange): AuthOptions => {
  let user: StoredUser | null = null;
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
        authorize: authorizeWith(exchange, (found) => {
          user = found;
        }),
      }),
    ],
    callbacks: callbacksFor(exchange.origin, () => user),
    events: { signOut: ({ token }) => recordSignOut(token, exchange.requestId) },
    // next-auth's own messages repeat requests; that a session ended is no error.
    logger: {
      error: (code) => code !== 'JWT_SESSION_ERROR' && console.error(`next-auth: ${code}`),
      warn: () => undefined,
      debug: () => undefined,
    },
  };
};
