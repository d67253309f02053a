import { getToken } from 'next-auth/jwt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { backgroundDone } from '@/lib/background';
import { Problem } from '@/lib/errors';
import { store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Account, startProvider, type TestProvider } from '@/scripts/testing/openid-provider';
import {
  configureProvider,
  OpenIdVisitor,
  REDIRECT_URI,
  withoutProvider,
} from '@/scripts/testing/openid-visitor';
import { createApiToken, listApiTokens } from './api-tokens';
import { forgetProvider } from './provider-client';
import { endOfSession } from './user-sessions';
import { findUserByEmail } from './users';

const ANN: Account = { email: 'ann@example.org', email_verified: true, name: 'Ann', groups: ['helpdesk'] };
const accounts = new Map<string, Account>();
let test: TestContext;
let provider: TestProvider;
let visitor: OpenIdVisitor;

const later = (minutes: number): void => void vi.setSystemTime(Date.now() + minutes * MINUTE);

/** What a request gets, once the check that it began has ended. */
const used = async () => {
  await visitor.actor();
  await backgroundDone();
  return visitor.actor();
};
const whyEnded = () => {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return endOfSession(cookie, Date.now());
};
const log = async () =>
  (await listEntries(test.ctx.store)).items.map(
    ({ action, target, detail }) => `${action} ${target}: ${detail}`,
  );
const checks = () => provider.requests.filter((path) => path === '/token' || path === '/me').length;

beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

describe.each([
  ['refresh tokens', true],
  ['an access token only', false],
])('with %s', (_, refreshTokens) => {
  beforeAll(async () => {
    provider = await startProvider(REDIRECT_URI, accounts, { refreshTokens });
  });
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    configureProvider(provider);
    forgetProvider();
    await test.empty();
    accounts.clear();
    accounts.set('ann', ANN);
    visitor = new OpenIdVisitor();
    await visitor.signIn('ann');
    provider.requests.length = 0;
  });
  afterEach(async () => {
    await backgroundDone();
    vi.useRealTimers();
  });
  afterAll(async () => {
    withoutProvider();
    await provider.stop();
  });

  it('asks the provider every five minutes of use, once for all requests, and never before', {
    tags: ['long'],
  }, async () => {
    later(4);
    expect(await used()).toMatchObject({ role: 'support' });
    expect(provider.requests).toEqual([]);
    for (let round = 1; round <= 3; round++) {
      later(round === 1 ? 1 : 5);
      await Promise.all(Array.from({ length: 8 }, () => visitor.actor()));
      expect(await used()).toMatchObject({ role: 'support' });
      expect(checks()).toBe(round);
    }
  });

  it('follows the groups: another role, and the end without one', { tags: ['long'] }, async () => {
    accounts.set('ann', { ...ANN, groups: 'keyward-admins' });
    later(6);
    expect(await used()).toMatchObject({ role: 'admin' });
    expect((await log())[0]).toMatch(/^users\.update ann@example\.org: support → admin, by 127/);
    const { id } = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
    // The last admin cannot be another.
    accounts.set('bob', { ...ANN, email: 'bob@example.org', groups: ['keyward-admins'] });
    await new OpenIdVisitor().signIn('bob');
    const token = { name: 'ci', role: 'viewer' as const, owner: id, createdBy: 'ann', expiresAt: null };
    await createApiToken(test.ctx.store, token, Date.now());
    accounts.set('ann', { ...ANN, groups: undefined });
    later(6);
    expect(await used()).toBeNull();
    expect(await whyEnded()).toBe('refused');
    expect(await listApiTokens(test.ctx.store)).toEqual([]);
    expect((await log())[0]).toMatch(/^session\.signOut ann@example\.org: ended: no group has a role here/);
  });

  it('ends the session of a user whom the provider removed', { tags: ['long'] }, async () => {
    accounts.delete('ann');
    later(6);
    expect(await used()).toBeNull();
    expect(await whyEnded()).toBe('refused');
    expect((await log())[0]).toMatch(/: ended: the provider no longer confirms the sign-in, by 127/);
    accounts.set('ann', ANN);
    expect(await visitor.signIn('ann')).toBe(`${ORIGIN}/demo/flags`);
    expect(await used()).toMatchObject({ role: 'support' });
    expect(await whyEnded()).toBeNull();
  });

  it('lets nobody go on after a pause before the provider has answered', { tags: ['long'] }, async () => {
    accounts.delete('ann');
    later(11);
    expect(await visitor.actor()).toBeNull();
  });

  it('goes on for 30 minutes while the provider is down, and again once it is back', {
    tags: ['long'],
  }, async () => {
    await provider.stop();
    for (let minutes = 6; minutes < 30; minutes += 6) {
      later(6);
      expect(await used()).toMatchObject({ role: 'support' });
    }
    await provider.resume();
    later(2);
    expect(await used()).toMatchObject({ role: 'support' });
    await provider.stop();
    later(20);
    expect(await used()).toMatchObject({ role: 'support' });
    later(11);
    expect(await used()).toBeNull();
    expect(await whyEnded()).toBe('unconfirmed');
    expect((await log())[0]).toContain('ended: not confirmed for 30 minutes');
    await provider.resume();
  });

  it('is checked by one process: while another does, it goes on', async () => {
    const [key] = await test.storeRedis.keys('keyward:provider-session:*');
    const lease = `keyward:lease:provider-check-${key!.split(':')[2]}`;
    await test.storeRedis.set(lease, 'another process', 'PX', 30_000);
    accounts.delete('ann');
    later(11);
    expect(await used()).toMatchObject({ role: 'support' });
    expect(checks()).toBe(0);
    // After a long pause it waits for what the other finds out.
    later(30);
    const waiting = visitor.actor();
    await test.storeRedis.del(key!);
    expect(await waiting).toBeNull();
    expect(checks()).toBe(0);
  });

  it('ends without a confirmation where the store takes none', async () => {
    later(31);
    const { run } = store();
    const full = vi
      .spyOn(store(), 'run')
      .mockImplementation((name, ...rest) =>
        name === 'lease' ? Promise.reject(new Problem('store_unavailable', 'full')) : run(name, ...rest),
      );
    expect(await visitor.actor()).toBeNull();
    full.mockRestore();
    expect(await visitor.actor()).toMatchObject({ role: 'support' });
  });

  it('has no token in the cookie, and none readable in the store', async () => {
    later(6);
    await used();
    const cookies = Object.fromEntries(visitor.cookies);
    const claims = await getToken({ req: { cookies, headers: {} } as never, secret: 'for-tests' });
    expect(Object.keys(claims!).sort()).toEqual(
      ['by', 'email', 'epoch', 'exp', 'iat', 'jti', 'name', 'role', 'session', 'signedInAt', 'sub'].sort(),
    );
    const keys = await test.storeRedis.keys('keyward:provider-session:*');
    expect(keys).toHaveLength(1);
    const record = await test.storeRedis.getBuffer(keys[0]!);
    expect(record!.toString('latin1')).not.toMatch(/oken|sub|127/);
    expect(await test.storeRedis.pttl(keys[0]!)).toBeGreaterThan(7 * 60 * MINUTE);
  });

  it('ends with its record, whoever deleted or wrote it', async () => {
    const [key] = await test.storeRedis.keys('keyward:provider-session:*');
    await test.storeRedis.set(key!, '{"state":"open"}', 'KEEPTTL');
    later(6);
    expect(await visitor.actor()).toBeNull();
    await new OpenIdVisitor().signIn('ann');
  });

  it('is not stored again when it was signed out during a check', async () => {
    later(6);
    await Promise.all([visitor.actor(), visitor.post('signout', {})]);
    await backgroundDone();
    expect(await test.storeRedis.keys('keyward:provider-session:*')).toEqual([]);
    expect(await used()).toBeNull();
  });
});

describe('with an access token only', () => {
  it('ends 30 minutes after the last confirmation, once the token has expired', {
    tags: ['long'],
  }, async () => {
    provider = await startProvider(REDIRECT_URI, accounts);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    configureProvider(provider);
    await test.empty();
    accounts.set('ann', ANN);
    visitor = new OpenIdVisitor();
    await visitor.signIn('ann');
    for (let minutes = 0; minutes < 78; minutes += 6) {
      later(6);
      expect([minutes, await used()]).toEqual([minutes, expect.objectContaining({ role: 'support' })]);
    }
    later(6);
    expect(await used()).toBeNull();
    expect(await whyEnded()).toBe('unconfirmed');
    vi.useRealTimers();
    withoutProvider();
    await provider.stop();
  });
});
