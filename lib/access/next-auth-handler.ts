import 'server-only';
import { parseCookie } from 'cookie';
import type { NextApiRequest, NextApiResponse } from 'next';
import NextAuth from 'next-auth';
import { anonymous } from '@/lib/actor';
import { recordRefusal } from '@/lib/audit/record';
import { env, handOriginToNextAuth } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { DEVICE_COOKIE, deviceCookie } from './device';
import { headerUser } from './header-sign-in';
import { type AuthExchange, nextAuthOptions, safeCallbackUrl } from './next-auth-options';
import { isOwnOrigin, requestOrigin } from './origin';
import { clientAddress } from './peer';
import { PROVIDER_ERRORS } from './provider-errors';
import { MAX_SINGLE_FAILURES } from './sign-in';
import { readSmallBody } from './small-body';
import { usesSecureCookies } from './user-sessions';

type Fields = Record<string, unknown>;

/** The fields of a form or a JSON object. Throws a 400 `Problem` for anything else. */
const bodyFields = async (request: Request): Promise<Fields> => {
  const text = await readSmallBody(request);
  if (!request.headers.get('content-type')?.includes('application/json'))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const body: unknown = JSON.parse(text || '{}');
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  } catch {
    // Reported below, without repeating the body.
  }
  throw new Problem('bad_input', 'The body is not a JSON object.');
};

/** Collects next-auth's answer into a `Response`. */
const responseRecorder = () => {
  const headers = new Headers({ 'cache-control': 'no-store' });
  let status = 200;
  let body: string | null = null;
  let cookies: string[] = [];
  const api = {
    status: (code: number) => {
      status = code;
      return api;
    },
    getHeader: (name: string) => (name.toLowerCase() === 'set-cookie' ? cookies : headers.get(name)),
    setHeader: (name: string, value: string | string[]) => {
      if (name.toLowerCase() === 'set-cookie') cookies = [value].flat();
      else headers.set(name, [value].flat().join(', '));
      return api;
    },
    json: (value: unknown) => {
      headers.set('content-type', 'application/json');
      body = JSON.stringify(value);
    },
    send: (value: unknown) => {
      if (typeof value === 'string') body = value;
      else if (value !== undefined) api.json(value);
    },
    end: () => undefined,
  };
  const response = (): Response => {
    for (const cookie of cookies) headers.append('set-cookie', cookie);
    return new Response(body, { status, headers });
  };
  return { api: api as unknown as NextApiResponse, response };
};

/** Refuses requests from another site's pages. Scripts send no origin; next-auth's CSRF token guards against both. */
const refuseForeignPages = (request: Request): void => {
  const { headers } = request;
  const saysFrom = headers.has('origin') || headers.has('sec-fetch-site');
  if (saysFrom && !isOwnOrigin(headers))
    throw new Problem('wrong_origin', "Sign-in is accepted from the console's own pages only.");
};

/** A request in the form next-auth expects, with callback URLs limited to our own. */
const apiRequest = async (request: Request, nextauth: string[], origin: string): Promise<NextApiRequest> => {
  const url = new URL(request.url);
  const query: Fields = { ...Object.fromEntries(url.searchParams), nextauth };
  const body = request.method === 'POST' ? await bodyFields(request) : undefined;
  const cookies = parseCookie(request.headers.get('cookie') ?? '');
  const remembered = Object.keys(cookies).filter((name) => name.endsWith('next-auth.callback-url'));
  for (const name of remembered) cookies[name] = safeCallbackUrl(cookies[name], origin);
  if (body?.callbackUrl !== undefined) body.callbackUrl = safeCallbackUrl(body.callbackUrl, origin);
  if (query.callbackUrl !== undefined || remembered.length === 0)
    query.callbackUrl = safeCallbackUrl(query.callbackUrl, origin);
  const headers = {
    ...Object.fromEntries(request.headers),
    // Read by next-auth when NEXTAUTH_URL is not set.
    'x-forwarded-proto': new URL(origin).protocol.slice(0, -1),
    'x-forwarded-host': `${new URL(origin).host}${env().basePath}/api/auth`,
  };
  return { method: request.method, query, body, cookies, headers } as unknown as NextApiRequest;
};

/** To the sign-in page, which says so: a provider that did not answer, or an answer that next-auth refused. */
const failedAtProvider = async (
  { address, requestId }: AuthExchange,
  url: string,
  isPost: boolean,
): Promise<Response> => {
  const why = isPost
    ? 'the provider is not reachable'
    : "the provider's answer was refused, or could not be used";
  const event = { actor: anonymous(), action: 'session.signIn', requestId };
  await recordRefusal({ ...event, detail: `${why}, from ${address}` }, MAX_SINGLE_FAILURES);
  return isPost ? Response.json({ url }) : new Response(null, { status: 302, headers: { location: url } });
};

/** The answer to a sign-out, with where the browser goes next. */
const withSignOut = ({ status, headers }: Response, signOutUrl: string): Response => {
  if (headers.has('location')) headers.set('location', signOutUrl);
  return new Response(JSON.stringify({ url: signOutUrl, signOutUrl }), { status, headers });
};

/**
 * Answers a request below /api/auth with next-auth, through its Pages handler. Its App Router handler (4.24) reads
 * headers and cookies from Next's request scope, not from the request it is given, so we could not sanitise them first:
 * it trusts any X-Forwarded-Host and answers a hostile callback-url cookie with 500. Throws a `Problem` where next-auth
 * has no answer: 429 with the seconds to wait, 503 without the store, 400, 403 and 413.
 */
export const handleNextAuth = async (
  request: Request,
  nextauth: string[],
  requestId: string,
): Promise<Response> => {
  handOriginToNextAuth();
  const isPost = request.method === 'POST';
  // Anyone may post to next-auth's log endpoint: nothing of it reaches our log.
  if (isPost && nextauth[0] === '_log') return new Response(null, { status: 204 });
  if (isPost) refuseForeignPages(request);
  // next-auth answers a GET here with 500; only providers that redirect back use one.
  else if (nextauth.join('/') === 'callback/credentials')
    throw new Problem('method_not_allowed', 'Send credentials with POST.');
  const origin = requestOrigin(request.headers, request.url);
  const exchange: AuthExchange = {
    address: clientAddress(request.headers),
    origin,
    requestId,
    device: parseCookie(request.headers.get('cookie') ?? '')[DEVICE_COOKIE] ?? null,
    problem: null,
  };
  const { api, response } = responseRecorder();
  const incoming = await apiRequest(request, nextauth, origin);
  await NextAuth(incoming, api, nextAuthOptions(exchange));
  // The proxy has the session of a user whom it names.
  if (isPost && nextauth[0] === 'signout' && headerUser(request.headers))
    exchange.providerSignOut = env().header?.signOutUrl ?? null;
  const { problem, newDevice, providerFailed, providerSignOut } = exchange;
  const signInPage = `${origin}${env().basePath}/sign-in`;
  if (providerFailed)
    return failedAtProvider(exchange, `${signInPage}?error=${PROVIDER_ERRORS.failed}`, isPost);
  const answer = providerSignOut ? withSignOut(response(), providerSignOut) : response();
  if (newDevice) answer.headers.append('set-cookie', deviceCookie(newDevice, usesSecureCookies()));
  if (!problem) return answer;
  // next-auth's own client expects `url` in every answer.
  const url = `${signInPage}?error=${problem.code}`;
  throw new Problem(problem.code, problem.message, {
    extensions: { ...problem.extensions, url },
    cause: problem,
  });
};
