import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { problemResponse } from '@/lib/http/respond';
import { ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  type Account,
  CLIENT,
  signed,
  signOutAt,
  startProvider,
  type TestProvider,
} from '@/scripts/testing/openid-provider';
import {
  configureProvider,
  OpenIdVisitor,
  REDIRECT_URI,
  withoutProvider,
} from '@/scripts/testing/openid-visitor';
import { handleBackchannelLogout } from './backchannel-logout';
import { forgetProvider } from './provider-client';

const PATH = '/api/auth/backchannel-logout';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const FORM = 'application/x-www-form-urlencoded';
const ANN: Account = { email: 'ann@example.org', email_verified: true, name: 'Ann', groups: ['helpdesk'] };
const accounts = new Map<string, Account>();
let test: TestContext;
let provider: TestProvider;
/** ID tokens of the sign-ins. */
let idTokens: JWTPayload[];

const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': FORM }) =>
  handleBackchannelLogout(
    new Request(`${ORIGIN}${PATH}`, { method: 'POST', headers, body }),
    'request-1',
  ).catch((error: unknown) => problemResponse(error, 'request-1'));
/** Takes what the provider posts. */
const received: number[] = [];
const receiver = createServer(async (request, response) => {
  const answer = await post(await text(request), { 'content-type': request.headers['content-type']! });
  received.push(answer.status);
  response.writeHead(answer.status).end(await answer.text());
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const backchannelLogoutUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${PATH}`;
  provider = await startProvider(REDIRECT_URI, accounts, { refreshTokens: true, backchannelLogoutUri });
  test = await testContext();
});
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  configureProvider(provider);
  forgetProvider();
  await test.empty();
  accounts.clear();
  accounts.set('ann', ANN);
  idTokens = [];
  received.length = 0;
  provider.hooks.idToken = (claims) => {
    idTokens.push(claims);
    return claims;
  };
});
afterAll(async () => {
  withoutProvider();
  await provider.stop();
  receiver.close();
  await test.close();
});

const signIn = async (): Promise<OpenIdVisitor> => {
  const visitor = new OpenIdVisitor();
  await visitor.signIn('ann');
  return visitor;
};
const isIn = async (visitor: OpenIdVisitor): Promise<boolean> => (await visitor.actor()) !== null;
const now = () => Math.floor(Date.now() / 1000);
const logout = (change: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT.id,
  iat: now(),
  exp: now() + 120,
  jti: randomUUID(),
  events: { [EVENT]: {} },
  ...change,
});
const send = async (claims: JWTPayload) =>
  (await post(new URLSearchParams({ logout_token: await provider.sign(claims) }))).status;
const log = async () =>
  (await listEntries(test.ctx.store)).items.map(
    ({ action, outcome, target, detail }) => `${action} ${outcome} ${target}: ${detail}`,
  );

it('ends the session at the console when the user signs out at the provider, and no other', {
  tags: ['long'],
}, async () => {
  const [first, second] = [await signIn(), await signIn()];
  const answer = await first.post('signout', {});
  const { signOutUrl } = (await answer.json()) as { signOutUrl: string };
  // No token is in the address.
  expect(signOutUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/session\/end\?client_id=keyward$/);
  expect([await isIn(first), await isIn(second)]).toEqual([false, true]);
  await signOutAt(signOutUrl, second.atProvider);
  expect(received).toEqual([200]);
  expect(await isIn(second)).toBe(false);
  expect((await log())[0]).toBe('session.signOut succeeded ann@example.org: signed out at the provider');
});

it('ends the sessions of a session at the provider, or all of its subject', { tags: ['long'] }, async () => {
  const visitors = [await signIn(), await signIn(), await signIn()];
  const states = () => Promise.all(visitors.map(isIn));
  const { sid, sub } = idTokens[0]!;
  expect(await send(logout({ sid, sub: 'bob' }))).toBe(200);
  expect(await send(logout({ sid: 'unknown', sub: sub! }))).toBe(200);
  expect(await states()).toEqual([true, true, true]);
  expect(await send(logout({ sid }))).toBe(200);
  expect(await states()).toEqual([false, true, true]);
  expect(await send(logout({ sub: 'nobody' }))).toBe(200);
  expect(await send(logout({ sub: sub! }))).toBe(200);
  expect(await states()).toEqual([false, false, false]);
  expect((await log())[0]).toContain('signed out at the provider, all sessions');
});

describe('refuses a token', () => {
  it.each<[string, JWTPayload | (() => JWTPayload)]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['without its time', { iat: undefined }],
    ['of ten minutes ago', () => ({ iat: now() - 600 })],
    ['of a clock ten minutes ahead', () => ({ iat: now() + 600 })],
    ['that has expired', () => ({ exp: now() - 60 })],
    ['without an id', { jti: undefined }],
    ['with an id that is no text', { jti: 7 as unknown as string }],
    ['without the event', { events: {} }],
    ['with an event that is no object', { events: { [EVENT]: true } }],
    ['with events that are no object', { events: [EVENT] }],
    ['with a nonce, which an ID token has', { nonce: 'n' }],
    ['about nobody', { sub: undefined }],
    ['about somebody that is no text', { sub: {} as unknown as string }],
    ['about somebody with a long name', { sub: 's'.repeat(300) }],
  ])('%s', async (_, change) => {
    const claims = logout({ sub: 'ann', ...(typeof change === 'function' ? change() : change) });
    expect(await send(JSON.parse(JSON.stringify(claims)))).toBe(400);
    expect((await log())[0]).toMatch(/session\.signOut failed null: back-channel sign-out refused/);
  });

  it('that is used again, or is not the provider’s', { tags: ['long'] }, async () => {
    const claims = logout({ sub: 'ann' });
    expect([await send(claims), await send(claims)]).toEqual([200, 400]);
    const visitor = await signIn();
    const unsigned = [{ alg: 'none' }, logout({ sub: 'ann' })]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    for (const token of [await signed(logout({ sub: 'ann' })), `${unsigned}.`, 'a.b.c', '', '\u0000'])
      expect((await post(new URLSearchParams({ logout_token: token }))).status).toBe(400);
    expect(await isIn(visitor)).toBe(true);
  });

  it('in a form that is not the right one, too large, or of a provider that is down', async () => {
    const token = await provider.sign(logout({ sub: 'ann' }));
    const fields = new URLSearchParams({ logout_token: token });
    expect((await post(String(fields), { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post(`${fields}&${fields}`)).status).toBe(400);
    expect((await post('')).status).toBe(400);
    expect((await post(`logout_token=${'x'.repeat(20_000)}`)).status).toBe(413);
    await provider.stop();
    forgetProvider();
    const answer = await post(fields);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
    await provider.resume();
    // It was not used up meanwhile.
    expect((await post(fields)).status).toBe(200);
  });

  it('beyond a hundred refused ones, and forgets refusals for the right one', {
    tags: ['long'],
  }, async () => {
    for (let count = 0; count < 101; count++) await post('logout_token=x');
    const answer = await post('logout_token=x');
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('needs no cookie and no origin, and answers nothing without a provider', async () => {
  const answer = await post(
    new URLSearchParams({ logout_token: await provider.sign(logout({ sub: 'ann' })) }),
    {
      'content-type': `${FORM}; charset=utf-8`,
      'sec-fetch-site': 'cross-site',
    },
  );
  expect([answer.status, answer.headers.get('cache-control'), await answer.text()]).toEqual([
    200,
    'no-store',
    '',
  ]);
  withoutProvider();
  expect((await post('logout_token=x')).status).toBe(404);
});
