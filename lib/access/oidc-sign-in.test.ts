import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { forgetEnv } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { store } from '@/lib/redis/store';
import { AuthVisitor, ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Account, CLIENT, startProvider, visitProvider } from '@/scripts/testing/openid-provider';
import { hashPassword } from './passwords';
import { createUser, findUserByEmail, listUsers, updateUser } from './users';

const accounts = new Map<string, Account>();
let test: TestContext;
let provider: Awaited<ReturnType<typeof startProvider>>;

const configure = (change: Record<string, string> = {}): void => {
  Object.assign(process.env, {
    NEXTAUTH_SECRET: 'for-tests',
    NEXTAUTH_URL: ORIGIN,
    KEYWARD_BASE_PATH: '',
    KEYWARD_OIDC_ISSUER: provider.issuer,
    KEYWARD_OIDC_CLIENT_ID: CLIENT.id,
    KEYWARD_OIDC_CLIENT_SECRET: CLIENT.secret,
    KEYWARD_OIDC_ROLES: 'keyward-admins=admin, helpdesk=support',
    KEYWARD_LOCAL_ACCOUNTS: 'all',
    ...change,
  });
  forgetEnv();
};

beforeAll(async () => {
  provider = await startProvider(`${ORIGIN}/api/auth/callback/oidc`, accounts);
  test = await testContext();
});
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  configure();
  await test.empty();
  accounts.clear();
  accounts.set('ann', {
    email: 'ann@example.org',
    email_verified: true,
    name: 'Ann',
    groups: ['staff', 'helpdesk'],
  });
});
afterAll(async () => {
  await provider.stop();
  await test.close();
});

class Visitor extends AuthVisitor {
  /** Where the sign-in page sends the browser. */
  async begin(): Promise<string> {
    const response = await this.post('signin/oidc', { callbackUrl: '/demo/flags' });
    return ((await response.json()) as { url: string }).url;
  }

  /** Comes back from the provider. Returns where the console sends the browser. */
  async comeBack(url: string): Promise<string | null> {
    const answer = await this.send(url.slice(`${ORIGIN}/api/auth/`.length));
    return answer.headers.get('location');
  }

  actor() {
    return this.whoAmI().catch(() => null);
  }
}

const signIn = async (name = 'ann') => {
  const visitor = new Visitor();
  const to = await visitor.comeBack(await visitProvider(await visitor.begin(), name));
  return { visitor, to };
};
const log = async () =>
  (await listEntries(test.ctx.store)).items.map(
    ({ action, outcome, detail }) => `${action} ${outcome}: ${detail}`,
  );

it('creates somebody at the first sign-in, with the role of their groups, and finds them later', async () => {
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
    ['without an address', { email: undefined }, 'names no subject or e-mail address'],
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

  it('as another account whose address the provider does not vouch for', async () => {
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
  it('that is replayed, with the same cookies or in another browser', async () => {
    const visitor = new Visitor();
    const back = await visitProvider(await visitor.begin(), 'ann');
    const cookies = new Map(visitor.cookies);
    await visitor.comeBack(back);
    const again = new Visitor();
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect(await again.comeBack(back)).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
    expect(await new Visitor().comeBack(back)).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
    expect(await again.actor()).toBeNull();
    expect((await log())[0]).toContain("the provider's answer was refused");
  });

  it('that is forged, cut, or of another sign-in', async () => {
    const visitor = new Visitor();
    const back = new URL(await visitProvider(await visitor.begin(), 'ann'));
    const cookies = new Map(visitor.cookies);
    const other = new URL(await visitProvider(await new Visitor().begin(), 'ann'));
    for (const change of [
      { code: 'forged' },
      { state: 'forged' },
      { code: other.searchParams.get('code')! },
      { error: 'access_denied' },
      { iss: 'https://evil.example' },
    ]) {
      const forged = new URL(back);
      for (const [name, value] of Object.entries(change)) forged.searchParams.set(name, value);
      const eve = new Visitor();
      for (const [name, value] of cookies) eve.cookies.set(name, value);
      expect([change, await eve.comeBack(forged.href)]).toEqual([
        change,
        `${ORIGIN}/sign-in?error=ProviderFailed`,
      ]);
      expect(await eve.actor()).toBeNull();
    }
    expect(await new Visitor().comeBack(`${ORIGIN}/api/auth/callback/oidc`)).toContain('ProviderFailed');
  });
});

it('gets nobody in without the store, and says so without its words', async () => {
  const visitor = new Visitor();
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
  expect(await new Visitor().begin()).toBe(`${ORIGIN}/sign-in?error=ProviderFailed`);
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
    return (await new Visitor().post('callback/credentials', fields)).status;
  };
  expect(await attempt('root@example.org')).toBe(200);
  expect(await attempt('bob@example.org')).toBe(401);
  expect((await log())[0]).toContain('signs in at the provider');
});
