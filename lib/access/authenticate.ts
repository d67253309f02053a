import 'server-only';
import type { Actor } from '@/lib/actor';
import { actorOfHeader, headerUser } from './header-sign-in';
import { actorOfApiToken } from './token-actor';
import { actorOfSession, readSession } from './user-sessions';

/** The Bearer token of a request; null when it carries none. */
export const bearerToken = (headers: Headers): string | null => {
  const match = /^bearer(?:\s+(.*))?$/i.exec(headers.get('authorization') ?? '');
  return match ? (match[1] ?? '').trim() : null;
};

/**
 * Authenticates a request: by its API token if it has one, else by the user whom a trusted proxy names, else by its
 * session cookie. Null when that is not valid: an invalid one is not rescued by the next. Throws the store's 503 `Problem` when only the store could decide.
 */
export const authenticateHeaders = async (headers: Headers): Promise<Actor | null> => {
  const now = Date.now();
  const token = bearerToken(headers);
  if (token !== null) return actorOfApiToken(token, now);
  const named = headerUser(headers);
  if (named) return actorOfHeader(named, headers, now);
  const claims = await readSession(headers.get('cookie'), now);
  return claims && actorOfSession(claims, now);
};

export const authenticate = (request: Request): Promise<Actor | null> => authenticateHeaders(request.headers);
