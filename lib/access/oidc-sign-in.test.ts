import { createSecretKey } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { Problem } from '@/lib/errors';
import { store } from '@/lib/redis/store';
import { ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  type Account,
  CLIENT,
  signed,
  startProvider,
  type TestProvider,
  visitProvider,
} from '@/scripts/testing/openid-provider';
import {
  configureProvider,
  OpenIdVisitor,
  REDIRECT_URI,
  withoutProvider,
} from '@/scripts/testing/openid-visitor';
import { hashPassword } from './passwords';
import { createUser, findUserByEmail, listUsers, updateUser } from './users';

const accounts = new Map<string, Account>();
let test: TestContext;
let provider: TestProvider;

const configure = (change: Record<string, string> = {}): void => configureProvider(provider, change);

beforeAll(async () => {
  provider = await startProvider(REDIRECT_URI, accounts);
  test = await testContext();
});
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  configure();
  await test.empty();
  accounts.clear();
  provider.hooks.idToken = null;
  accounts.set('ann', {
    email: 'ann@example.org',
    email_verified: true,
    name: 'Ann',
    groups: ['staff', 'helpdesk'],
  });
});
afterAll(async () => {
  withoutProvider();
  await provider.stop();
  await test.close();
});

const signIn = async (name = 'ann') => {
  const visitor = new OpenIdVisitor();
  return { visitor, to: await visitor.signIn(name) };
};
const log = async () =>
  (await listEntries(test.ctx.store)).items.map(
    ({ action, outcome, detail }) => `${action} ${outcome}: ${detail}`,
  );

it('creates somebody at the first sign-in, with the role of their groups, and finds them later', {
  tags: ['long'],
}, async () => {
  const { visitor, to } = await signIn();
  expect(to).toBe(`${ORIGIN}/demo/flags`);
  expect(await visitor.actor()).toMatchObject({ kind: 'user', email: 'ann@example.org', role: 'support' });
  accounts.set('ann', { email: 'ann.new@example.org', name: 'Ann B.', groups: 'keyward-admins' });
  expect(await (await signIn()).visitor.actor()).toMatchObject({ role: 'admin', name: 'Ann B.' });
  expect(await listUsers(test.ctx.store)).toHaveLength(1);
  const host = new URL(provider.issuer).host;
  expect((await log()).slice(0, 4)).toEqual([
    expect.stringMatching(`session.signIn succeeded: by ${host}`),
    expect.stringMatching(`users.update succeeded: support → admin, by ${host}`),
    expect.stringMatching(`session.signIn succeeded: by ${host}`),
    expect.stringMatching(`users.create succeeded: support, by ${host}`),
  ]);
});

describe('lets nobody in', () => {
  it.each<[string, Account, string]>([
    ['without a group that has a role', { groups: ['staff'] }, 'no group has a role here'],
    ['without groups', { groups: undefined }, 'no group has a role here'],
    ['without an address', { email: undefined }, 'no subject or e-mail address is named'],
  ])('%s', async (_, change, why) => {
    accounts.set('ann', { ...accounts.get('ann'), ...change });
    const { visitor, to } = await signIn();
    expect(to).toBe(`${ORIGIN}/sign-in?error=ProviderRefused`);
    expect(await visitor.actor()).toBeNull();
    expect(await listUsers(test.ctx.store)).toEqual([]);
    expect((await log())[0]).toContain(why);
  });

  it('who is disabled here', async () => {
    await signIn();
    const user = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
    await updateUser(test.ctx.store, user.id, { disabled: true });
    expect((await signIn()).to).toContain('ProviderRefused');
    expect((await log())[0]).toContain('the user is disabled');
  });

  it('as another account whose address the provider does not vouch for', { tags: ['long'] }, async () => {
    const passwordHash = await hashPassword('correct horse battery');
    const local = { email: 'ann@example.org', name: 'Ann', role: 'admin' as const, passwordHash };
    await createUser(test.ctx.store, local, { now: Date.now() });
    accounts.set('ann', { ...accounts.get('ann'), email_verified: false });
    expect((await signIn()).to).toContain('ProviderRefused');
    expect((await log())[0]).toContain('does not vouch for it');
    // A verified address is the same user. The only admin stays one.
    accounts.set('ann', { ...accounts.get('ann'), email_verified: true });
    expect((await signIn()).to).toContain('ProviderRefused');
    expect((await log())[0]).toContain('would leave no admin');
    accounts.set('ann', { ...accounts.get('ann'), email_verified: true, groups: ['keyward-admins'] });
    expect(await (await signIn()).visitor.actor()).toMatchObject({ role: 'admin' });
    accounts.set('eve', { ...accounts.get('ann') });
    expect((await signIn('eve')).to).toContain('ProviderRefused');
  });
});

describe('refuses an answer of the provider', () => {
  it('that is replayed, with the same cookies or in another browser', { tags: ['long'] }, async () => {
    const visitor = new OpenIdVisitor();
    const back = await visitProvider(await visitor.begin(), 'ann');
    const cookies = new Map(visitor.cookies);
    await visitor.comeBack(back);
    const again = new OpenIdVisitor();
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect(await again.comeBack(back)).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
    expect(await new OpenIdVisitor().comeBack(back)).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
    expect(await again.actor()).toBeNull();
    expect((await log())[0]).toContain("the provider's answer was refused");
  });

  it('that is forged, cut, or of another sign-in', { tags: ['long'] }, async () => {
    const visitor = new OpenIdVisitor();
    const back = new URL(await visitProvider(await visitor.begin(), 'ann'));
    const cookies = new Map(visitor.cookies);
    const other = new URL(await visitProvider(await new OpenIdVisitor().begin(), 'ann'));
    for (const change of [
      { code: 'forged' },
      { state: 'forged' },
      { code: other.searchParams.get('code')! },
      { error: 'access_denied' },
      { iss: 'https://evil.example' },
    ]) {
      const forged = new URL(back);
      for (const [name, value] of Object.entries(change)) forged.searchParams.set(name, value);
      const eve = new OpenIdVisitor();
      for (const [name, value] of cookies) eve.cookies.set(name, value);
      expect([change, await eve.comeBack(forged.href)]).toEqual([
        change,
        `${ORIGIN}/sign-in?error=ProviderFailed`,
      ]);
      expect(await eve.actor()).toBeNull();
    }
    expect(await new OpenIdVisitor().comeBack(`${ORIGIN}/api/auth/callback/oidc`)).toContain(
      'ProviderFailed',
    );
  });
});

describe('of an ID token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, (claims: JWTPayload) => JWTPayload | Promise<string>]>([
    ['that has expired', (claims) => ({ ...claims, exp: now() - 60 })],
    [
      'of a clock ten minutes behind, valid for five',
      (claims) => ({
        ...claims,
        iat: now() - 600,
        exp: now() - 300,
      }),
    ],
    ['that is not valid yet', (claims) => ({ ...claims, nbf: now() + 600 })],
    ['signed with another key', (claims) => signed(claims)],
    [
      'signed with the secret of the client',
      (claims) => signed(claims, createSecretKey(Buffer.from(CLIENT.secret.padEnd(32))), 'HS256'),
    ],
    ['for another client', (claims) => ({ ...claims, aud: 'other' })],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['with the nonce of another sign-in', (claims) => ({ ...claims, nonce: 'other' })],
    ['without an expiry', ({ exp: _, ...claims }) => claims],
  ])('refuses one %s', async (_, change) => {
    provider.hooks.idToken = change;
    const { visitor, to } = await signIn();
    expect(to).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
    expect(await visitor.actor()).toBeNull();
    expect(await listUsers(test.ctx.store)).toEqual([]);
  });

  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['of a clock ten minutes ahead', (claims) => ({ ...claims, iat: now() + 600, exp: now() + 900 })],
    [
      'of a clock ten minutes behind, valid for an hour',
      (claims) => ({
        ...claims,
        iat: now() - 600,
        exp: now() + 3000,
      }),
    ],
    ['that has expired within the tolerance', (claims) => ({ ...claims, exp: now() - 5 })],
  ])('takes one %s', async (_, change) => {
    provider.hooks.idToken = change;
    expect(await (await signIn()).visitor.actor()).toMatchObject({ role: 'support' });
  });

  it.each<[string, Account, Record<string, string>, string | null]>([
    ['in a list', { groups: ['staff', 'helpdesk'] }, {}, 'support'],
    ['in a string', { groups: 'staff helpdesk' }, {}, 'support'],
    [
      'nested',
      { realm_access: { roles: ['helpdesk'] } },
      { KEYWARD_OIDC_ROLE_CLAIM: 'realm_access.roles' },
      'support',
    ],
    ['missing', { groups: undefined }, {}, null],
    [
      '201 of them',
      { groups: [...Array.from({ length: 200 }, (_, i) => `group-${i}`), 'helpdesk'] },
      {},
      'support',
    ],
  ])('reads groups: %s', async (_, change, settings, role) => {
    configure(settings);
    accounts.set('ann', { ...accounts.get('ann'), ...change });
    const actor = await (await signIn()).visitor.actor();
    expect(actor?.role ?? null).toBe(role);
  });

  it('reports groups that the provider left out, because there are too many', async () => {
    provider.hooks.idToken = ({ groups: _, ...claims }) => ({
      ...claims,
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example' } },
    });
    expect((await signIn()).to).toContain('ProviderRefused');
    expect((await log())[0]).toContain('there are too many');
  });
});

it('gets nobody in without the store, and says so without its words', async () => {
  const visitor = new OpenIdVisitor();
  const back = await visitProvider(await visitor.begin(), 'ann');
  const down = vi
    .spyOn(store(), 'use')
    .mockRejectedValue(new Problem('store_unavailable', 'The store is away.'));
  expect(await visitor.comeBack(back)).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
  down.mockRestore();
  expect(await visitor.actor()).toBeNull();
});

it('says that the provider is not reachable, and lets local accounts in meanwhile', async () => {
  configure({ KEYWARD_OIDC_ISSUER: 'http://127.0.0.1:1' });
  expect(await new OpenIdVisitor().begin()).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
  expect((await log())[0]).toContain('the provider is not reachable');
});

it('with break-glass takes the password of the configured admin only', async () => {
  configure({
    KEYWARD_LOCAL_ACCOUNTS: 'break-glass',
    KEYWARD_ADMIN_EMAIL: 'Root@example.org',
    KEYWARD_ADMIN_PASSWORD: 'correct horse battery',
  });
  const passwordHash = await hashPassword('correct horse battery');
  for (const email of ['root@example.org', 'bob@example.org'])
    await createUser(test.ctx.store, { email, name: 'x', role: 'admin', passwordHash }, { now: Date.now() });
  const attempt = async (email: string) => {
    const fields = { email, password: 'correct horse battery' };
    return (await new OpenIdVisitor().post('callback/credentials', fields)).status;
  };
  expect(await attempt('root@example.org')).toBe(200);
  expect(await attempt('bob@example.org')).toBe(401);
  expect((await log())[0]).toContain('signs in at the provider');
});
