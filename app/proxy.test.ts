import { NextRequest } from 'next/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PEER_HEADER, peerHeader } from '@/lib/access/peer';
import { forgetEnv } from '@/lib/configuration';
import { config, proxy } from '@/proxy';

const configure = (nextAuthUrl: string): void => {
  Object.assign(process.env, { REDIS_URL: 'redis://127.0.0.1:1', NEXTAUTH_URL: nextAuthUrl });
  forgetEnv();
};
beforeEach(() => configure(''));
afterEach(() => configure(''));

const ORIGIN = 'http://localhost:3000';
const SIGNED_IN = { cookie: 'next-auth.session-token=x' };
const open = (path: string, headers: Record<string, string> = {}, basePath?: string) =>
  proxy(new NextRequest(`${ORIGIN}${path}`, { headers, nextConfig: { basePath } }));
const nonceOf = (response: Response): string =>
  /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? '';

describe('pages', () => {
  it('lead to the sign-in page and back without a session', () => {
    const response = open('/main/sessions?q=a%20b&x=1');
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe(
      `${ORIGIN}/sign-in?callbackUrl=${encodeURIComponent('/main/sessions?q=a%20b&x=1')}`,
    );
    expect(open('//evil.example/x').headers.get('location')).toMatch(/^http:\/\/localhost:3000\/sign-in\?/);
  });

  it('keep the base path', () => {
    const location = open('/keyward/main/sessions', {}, '/keyward').headers.get('location');
    expect(location).toBe(
      `${ORIGIN}/keyward/sign-in?callbackUrl=${encodeURIComponent('/keyward/main/sessions')}`,
    );
    expect(open('/keyward/sign-in', {}, '/keyward').status).toBe(200);
  });

  it('are shown with a session cookie, plain, secure or in pieces', () => {
    for (const name of [
      'next-auth.session-token',
      '__Secure-next-auth.session-token',
      'next-auth.session-token.0',
    ]) {
      expect(open('/main/overview', { cookie: `${name}=x` }).status).toBe(200);
    }
    expect(open('/main/overview', { cookie: 'next-auth.session-token=' }).status).toBe(307);
  });

  it('are shown to whom a trusted proxy names, and to nobody else who sends the header', () => {
    Object.assign(process.env, {
      KEYWARD_TRUSTED_PROXIES: '10.0.0.7',
      KEYWARD_HEADER_USER: 'Remote-User',
      KEYWARD_HEADER_DEFAULT_ROLE: 'viewer',
    });
    forgetEnv();
    peerHeader();
    const named = { 'remote-user': 'ann@example.org' };
    expect(open('/main/overview', { ...named, [PEER_HEADER]: '10.0.0.7' }).status).toBe(200);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(open('/main/overview', { ...named, [PEER_HEADER]: '10.0.0.8' }).status).toBe(307);
    expect(open('/main/overview', { [PEER_HEADER]: '10.0.0.7' }).status).toBe(307);
    warn.mockRestore();
    peerHeader.forget();
    for (const name of ['TRUSTED_PROXIES', 'HEADER_USER', 'HEADER_DEFAULT_ROLE'])
      delete process.env[`KEYWARD_${name}`];
  });

  it('know themselves where they lead who is not signed in any more', () => {
    for (const [path, basePath] of [['/main/flags?q=a%20b'], ['/keyward/main/flags', '/keyward']] as const)
      expect(
        open(path, { ...SIGNED_IN, 'x-sign-in': '/evil' }, basePath).headers.get(
          'x-middleware-request-x-sign-in',
        ),
      ).toBe(`/sign-in?callbackUrl=${encodeURIComponent(path)}`);
  });

  it('run scripts only by a nonce of this request, which the page gets', () => {
    const [first, second] = [open('/sign-in', { 'x-nonce': 'forged' }), open('/setup')];
    expect(nonceOf(first)).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(nonceOf(first)).not.toBe(nonceOf(second));
    expect(first.headers.get('x-middleware-request-x-nonce')).toBe(nonceOf(first));
    const policy = first.headers.get('content-security-policy');
    for (const part of [
      "frame-ancestors 'none'",
      "object-src 'none'",
      "base-uri 'self'",
      "form-action 'self'",
    ]) {
      expect(policy).toContain(part);
    }
    expect(/script-src [^;]*/.exec(policy!)![0]).not.toContain('unsafe-inline');
  });

  it('ask for https only where there is https', () => {
    expect(open('/x', SIGNED_IN).headers.get('strict-transport-security')).toBeNull();
    configure('https://ops.example');
    expect(open('/x', SIGNED_IN).headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
  });
});

it('is not asked about the API and files', () => {
  const pattern = new RegExp(`^${config.matcher.at(-1)}$`);
  for (const path of ['/', '/sign-in', '/main/overview', '/api-docs', '/main/keys/abc', '/main/catalog']) {
    expect(path).toMatch(pattern);
  }
  for (const path of [
    '/api',
    '/api/v1/account',
    '/api/openapi.json',
    '/catalog.schema.json',
    '/_next/static/x.js',
    '/icon.svg',
  ]) {
    expect(path).not.toMatch(pattern);
  }
});
