import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { backgroundDone } from '@/lib/background';
import { forgetEnv } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { checkOrigin } from '@/lib/http/authorise';
import { store } from '@/lib/redis/store';
import { accountContracts } from '@/lib/users/schema';
import { AuthVisitor, ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { createApiToken } from './api-tokens';
import { authenticate } from './authenticate';
import { hashPassword } from './passwords';
import { PEER_HEADER, peerHeader } from './peer';
import { storeBackoff } from './user-sessions';
import { createUser, findUserByEmail, listUsers, updateUser } from './users';

const PROXY = '10.0.0.7';
const NAMES = ['USER', 'GROUPS', 'ROLES', 'DEFAULT_ROLE', 'SIGN_OUT_URL'].map(
  (name) => `KEYWARD_HEADER_${name}`,
);
let test: TestContext;

const configure = (change: Record<string, string> = {}): void => {
  for (const name of NAMES) delete process.env[name];
  Object.assign(process.env, {
    NEXTAUTH_SECRET: 'for-tests',
    NEXTAUTH_URL: ORIGIN,
    KEYWARD_BASE_PATH: '',
    KEYWARD_TRUSTED_PROXIES: '10.0.0.0/8',
    KEYWARD_HEADER_USER: 'X-Forwarded-Email',
    KEYWARD_HEADER_GROUPS: 'X-Forwarded-Groups',
    KEYWARD_HEADER_ROLES: 'keyward-admins=admin, On call=support, Admins=admin',
    ...change,
  });
  forgetEnv();
};

beforeAll(async () => {
  configure();
  test = await testContext();
  peerHeader();
});
afterEach(() => {
  vi.restoreAllMocks();
  storeBackoff.forget();
});
beforeEach(async () => {
  configure();
  await test.empty();
});
afterAll(async () => {
  for (const name of [...NAMES, 'KEYWARD_TRUSTED_PROXIES']) delete process.env[name];
  forgetEnv();
  peerHeader.forget();
  await test.close();
});

const ANN = { 'x-forwarded-email': 'ann@example.org', 'x-forwarded-groups': 'staff, On call' };
const by = (headers: Record<string, string> = ANN, peer = PROXY) =>
  new Request(ORIGIN, { headers: { [PEER_HEADER]: peer, ...headers } });
const actor = async (headers?: Record<string, string>, peer?: string) => {
  const found = await authenticate(by(headers, peer));
  await backgroundDone();
  return found;
};
const log = async () =>
  (await listEntries(test.ctx.store)).items.map(
    ({ action, outcome, target, detail }) => `${action} ${outcome} ${target}: ${detail}`,
  );

it('creates a user at the first request, once, and follows the groups', async () => {
  const first = await Promise.all(Array.from({ length: 10 }, () => authenticate(by())));
  for (const each of first)
    expect(each).toMatchObject({ kind: 'user', email: 'ann@example.org', role: 'support' });
  expect(await actor({ ...ANN, 'x-forwarded-groups': 'keyward-admins' })).toMatchObject({ role: 'admin' });
  expect(await listUsers(test.ctx.store)).toMatchObject([
    { email: 'ann@example.org', name: 'ann', subject: 'header ann@example.org' },
  ]);
  expect((await log()).slice(0, 3)).toEqual([
    expect.stringMatching(
      /^users\.update succeeded ann@example\.org: support → admin, by x-forwarded-email, from/,
    ),
    expect.stringMatching(
      /^session\.signIn succeeded ann@example\.org: by a trusted proxy, from 10\.0\.0\.7/,
    ),
    expect.stringMatching(
      /^users\.create succeeded ann@example\.org: support, by x-forwarded-email, from 10/,
    ),
  ]);
});

it('does not follow the header of a stream again, which may be of before', async () => {
  const stream = by();
  expect(await authenticate(stream)).toMatchObject({ role: 'support' });
  await actor({ ...ANN, 'x-forwarded-groups': 'keyward-admins' });
  expect(await authenticate(stream)).toMatchObject({ role: 'admin' });
  expect(await actor({ ...ANN, 'x-forwarded-groups': 'keyward-admins' })).toMatchObject({ role: 'admin' });
  expect((await log()).filter((line) => line.startsWith('users.update'))).toHaveLength(1);
});

it('leaves roles to admins without a header of groups', async () => {
  configure({ KEYWARD_HEADER_GROUPS: '', KEYWARD_HEADER_ROLES: '', KEYWARD_HEADER_DEFAULT_ROLE: 'viewer' });
  expect(await actor()).toMatchObject({ role: 'viewer' });
  const user = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
  await updateUser(test.ctx.store, user.id, { role: 'product' });
  expect(await actor()).toMatchObject({ role: 'product' });
});

it('is ignored of everybody but a trusted proxy, with one warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const peer of ['203.0.113.9', '::1', 'unknown', ''])
    expect(await actor({ ...ANN, 'x-forwarded-for': PROXY }, peer)).toBeNull();
  expect(await authenticate(new Request(ORIGIN, { headers: ANN }))).toBeNull();
  expect(await listUsers(test.ctx.store)).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(String(warn.mock.calls)).not.toContain('ann');
  warn.mockRestore();
});

describe('refuses', () => {
  it.each([
    ['a name that is no address', 'ann'],
    ['two addresses', 'ann@example.org, bob@example.org'],
    ['two addresses without a blank', 'ann@example.org,bob@example.org'],
    ['letters of other scripts', 'änn@example.org'],
    ['an address that is too long', `${'a'.repeat(250)}@example.org`],
    ['a blank in it', 'ann @example.org'],
    ['a user in a comment', 'ann@example.org (admin)'],
  ])('%s', async (_, value) => {
    expect(await actor({ ...ANN, 'x-forwarded-email': value })).toBeNull();
    expect(await listUsers(test.ctx.store)).toEqual([]);
    expect((await log())[0]).toMatch(/^session\.signIn failed null: no subject or e-mail address is named/);
  });

  it.each([
    ['no group', ''],
    ['groups without a role', 'staff'],
    ['a group of several words, one of which has a role', 'Domain Admins'],
    ['groups that are too long', `${'x'.repeat(20_000)},keyward-admins`],
  ])('%s', async (_, groups) => {
    expect(await actor({ ...ANN, 'x-forwarded-groups': groups })).toBeNull();
    expect((await log())[0]).toContain('no group has a role here');
  });

  it('a disabled user, and one without groups any more', async () => {
    await actor();
    expect(await actor({ 'x-forwarded-email': 'ann@example.org' })).toBeNull();
    const user = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
    await updateUser(test.ctx.store, user.id, { disabled: true });
    expect(await actor()).toBeNull();
    expect((await log())[0]).toContain('the user is disabled');
  });
});

describe('with other credentials', () => {
  it('overrules a session, also where it refuses; an empty one does not', { tags: ['long'] }, async () => {
    configure({ KEYWARD_HEADER_DEFAULT_ROLE: '' });
    const passwordHash = await hashPassword('correct horse battery');
    const local = { email: 'root@example.org', name: 'Root', role: 'admin' as const, passwordHash };
    await createUser(test.ctx.store, local, { now: Date.now() });
    const visitor = new AuthVisitor();
    await visitor.post('callback/credentials', { email: local.email, password: 'correct horse battery' });
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect(await actor({ cookie })).toMatchObject({ email: 'root@example.org' });
    expect(await actor({ cookie, 'x-forwarded-email': ' ' })).toMatchObject({ email: 'root@example.org' });
    expect(await actor({ cookie, ...ANN })).toMatchObject({ email: 'ann@example.org', role: 'support' });
    expect(await actor({ cookie, ...ANN, 'x-forwarded-email': 'bob@example.org' })).toMatchObject({
      email: 'bob@example.org',
    });
    expect(await actor({ cookie, ...ANN, 'x-forwarded-groups': 'staff' })).toBeNull();
  });

  it('leaves API tokens as they are', async () => {
    const token = { name: 'ci', role: 'viewer' as const, createdBy: 'root', expiresAt: null };
    const { token: secret } = await createApiToken(test.ctx.store, token, Date.now());
    expect(await actor({ ...ANN, authorization: `Bearer ${secret}` })).toMatchObject({ kind: 'token' });
    expect(await actor({ ...ANN, authorization: 'Bearer kw_wrong' })).toBeNull();
  });
});

it('takes changes from the console’s own pages only, as with a cookie', () => {
  const contract = accountContracts.signOutEverywhere;
  const check = (headers: Record<string, string>, peer = PROXY) => checkOrigin(contract, by(headers, peer));
  expect(() => check(ANN)).toThrow(/accepted from the console's own pages/);
  expect(() => check({ ...ANN, origin: 'https://evil.example' })).toThrow(Problem);
  expect(() => check({ ...ANN, 'sec-fetch-site': 'cross-site' })).toThrow(Problem);
  expect(() => check({ ...ANN, origin: ORIGIN })).not.toThrow();
  expect(() => check({ ...ANN, authorization: 'Bearer x' })).not.toThrow();
});

it('leads a sign-out to the proxy, if its address is known', async () => {
  configure({ KEYWARD_HEADER_SIGN_OUT_URL: '/oauth2/sign_out' });
  const post = async (headers: Record<string, string>) =>
    (await new AuthVisitor().post('signout', {}, headers)).json() as Promise<{ signOutUrl?: string }>;
  expect((await post({ ...ANN, [PEER_HEADER]: PROXY })).signOutUrl).toBe('/oauth2/sign_out');
  expect((await post({ ...ANN, [PEER_HEADER]: '203.0.113.9' })).signOutUrl).toBeUndefined();
});

it('knows users of before while the store is away, and others not', async () => {
  await actor();
  vi.spyOn(store(), 'use').mockRejectedValue(new Problem('store_unavailable', 'away'));
  expect(await actor()).toMatchObject({ role: 'support' });
  await expect(actor({ ...ANN, 'x-forwarded-email': 'eve@example.org' })).rejects.toThrow('away');
});
