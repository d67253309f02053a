import { type NextRequest, NextResponse } from 'next/server';
import { headerUser } from '@/lib/access/header-sign-in';
import { env } from '@/lib/configuration';

const SESSION_COOKIE = /^(__Secure-)?next-auth\.session-token(\.0)?$/;
const OPEN_PAGES = new Set(['/sign-in', '/setup', '/invitation']);

/** Scripts run by nonce only. Styles may be inline: Mantine writes them as attributes, which no nonce covers. */
const contentSecurityPolicy = (nonce: string): string => {
  const development = !env().production;
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws:' : ''}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
};

const isSignedIn = (request: NextRequest): boolean =>
  request.cookies.getAll().some(({ name, value }) => SESSION_COOKIE.test(name) && value !== '') ||
  headerUser(request.headers) !== null;

/** The query that returns from the sign-in page to the requested page. */
const wayBack = ({ nextUrl: { basePath, pathname, search } }: NextRequest): string =>
  `?callbackUrl=${encodeURIComponent(`${basePath}${pathname}${search}`)}`;

/** Next sends the Location without the origin, which only the browser knows. */
const toSignIn = (request: NextRequest): Response => {
  const target = request.nextUrl.clone();
  target.pathname = '/sign-in';
  target.search = wayBack(request);
  return NextResponse.redirect(target);
};

/**
 * Runs for pages only (the matcher): sets a nonce per request, and redirects to sign-in if there is no session cookie
 * and no user whom a trusted proxy names.
 * Routes and pages still authorise. Headers of every response are in lib/http/incoming.ts.
 */
export const proxy = (request: NextRequest): Response => {
  const { pathname } = request.nextUrl;
  if (!isSignedIn(request) && !OPEN_PAGES.has(pathname)) return toSignIn(request);
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  // For pages that find the session ended (`signed-in.ts`).
  headers.set('x-sign-in', `/sign-in${wayBack(request)}`);
  // Next reads the nonce for its own scripts from here.
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  if (env().nextAuthUrl?.startsWith('https://'))
    response.headers.set('strict-transport-security', 'max-age=31536000');
  return response;
};

export const config = {
  // The pattern alone misses the root page under a base path.
  matcher: [
    '/',
    '/((?!api(?:/|$)|catalog\\.schema\\.json$|grafana/keyward\\.json$|_next/static|_next/image|.*\\.(?:ico|png|svg|txt|webmanifest|woff2)$).*)',
  ],
};
