import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { openStore, store } from '@/lib/redis/store';
import { AuthVisitor, ORIGIN } from '@/scripts/testing/auth-visitor';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { hashPassword } from './passwords';
import { storeBackoff } from './user-sessions';
import { createUser, findUserByEmail, updateUser } from './users';

const PASSWORD = 'correct horse battery';
let test: TestContext;
let passwordHash: string;

const configure = (change: Record<string, string>): void => {
  Object.assign(
    process.env,
    { NEXTAUTH_SECRET: 'for-tests', NEXTAUTH_URL: '', KEYWARD_BASE_PATH: '' },
    change,
  );
  forgetEnv();
};
beforeAll(async () => {
  configure({});
  test = await testContext();
  passwordHash = await hashPassword(PASSWORD);
});
beforeEach(async () => {
  configure({});
  await test.empty();
  const user = { email: 'ann@example.org', name: 'Ann', role: 'support' as const, passwordHash };
  await createUser(test.ctx.store, user, { now: Date.now() });
});
afterAll(() => test.close());

class Visitor extends AuthVisitor {
  signIn(password = PASSWORD, fields: Record<string, string> = {}) {
    return this.post('callback/credentials', { email: 'ann@example.org', password, ...fields });
  }
}

const audited = async (): Promise<Record<string, unknown>[]> => {
  const entries = await test.storeRedis.xrange('keyward:audit', '-', '+');
  return entries.map(
    ([, fields]) => JSON.parse(fields[fields.indexOf('entry') + 1]!) as Record<string, unknown>,
  );
};

describe('signing in', () => {
  it('makes a session of eight hours that ends with signing out', async () => {
    const ann = new Visitor();
    const response = await ann.signIn(PASSWORD, { callbackUrl: '/main/sessions?q=1' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: `${ORIGIN}/main/sessions?q=1` });
    const set = response.headers.getSetCookie().find((each) => each.startsWith('next-auth.session-token'))!;
    expect(set).toMatch(/HttpOnly/i);
    expect(set).toMatch(/SameSite=Lax/i);
    expect(set).not.toMatch(/Secure/i);
    const expires = Date.parse(/Expires=([^;]+)/i.exec(set)![1]!);
    expect(Math.abs(expires - Date.now() - 8 * 3_600_000)).toBeLessThan(5000);
    expect(await ann.whoAmI()).toMatchObject({ kind: 'user', email: 'ann@example.org', role: 'support' });

    const session = (await (await ann.send('session')).json()) as { user: unknown; expires: string };
    expect(session.user).toMatchObject({ email: 'ann@example.org', role: 'support' });
    expect((await ann.post('signout', {})).status).toBe(200);
    expect(await ann.whoAmI()).toBeNull();
    expect((await audited()).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'session.signIn succeeded',
      'session.signOut succeeded',
    ]);
  });

  it('is 401 for wrong credentials and for what are none', async () => {
    const wrong: Record<string, string>[] = [
      { password: 'wrong' },
      { email: 'nobody@example.org' },
      { password: 'x'.repeat(2000) },
    ];
    for (const fields of wrong) {
      const visitor = new Visitor();
      const response = await visitor.signIn(PASSWORD, fields);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        url: expect.stringContaining('error=CredentialsSignin'),
      });
      expect(await visitor.whoAmI()).toBeNull();
    }
    const csrf = (await (await new Visitor().send('csrf')).json()) as { csrfToken: string };
    expect(csrf.csrfToken).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is 405 by a link', async () => {
    await expect(new Visitor().send('callback/credentials')).rejects.toMatchObject({
      code: 'method_not_allowed',
    });
  });

  it('is 429 with the seconds to wait once it is throttled', async () => {
    const visitor = new Visitor();
    for (let i = 0; i < 6; i++) expect((await visitor.signIn('wrong')).status).toBe(401);
    await expect(visitor.signIn()).rejects.toMatchObject({
      code: 'throttled',
      extensions: { retryAfterSeconds: expect.any(Number), url: expect.stringContaining('error=throttled') },
    });
    expect(await visitor.whoAmI()).toBeNull();
  });

  it('lets the browser that signed in before pass where strangers closed its network', async () => {
    const ann = new Visitor();
    const set = (await ann.signIn()).headers
      .getSetCookie()
      .find((each) => each.startsWith('keyward-device='));
    expect(set).toMatch(/; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/);
    expect((await ann.signIn('wrong')).headers.getSetCookie().join()).not.toContain('keyward-device');
    await ann.post('signout', {});
    const stranger = new Visitor();
    for (let i = 0; i < 6; i++) expect((await stranger.signIn('wrong')).status).toBe(401);
    await expect(stranger.signIn()).rejects.toMatchObject({ code: 'throttled' });
    expect((await ann.signIn()).status).toBe(200);
    expect(await ann.whoAmI()).toMatchObject({ email: 'ann@example.org' });
  });

  it('needs the CSRF token of the same browser', async () => {
    const visitor = new Visitor();
    await visitor.send('csrf');
    const body = new URLSearchParams({
      email: 'ann@example.org',
      password: PASSWORD,
      json: 'true',
      csrfToken: 'x',
    });
    const response = await visitor.send('callback/credentials', { method: 'POST', body });
    expect(await response.json()).toMatchObject({ url: expect.stringContaining('csrf=true') });
    expect(await visitor.whoAmI()).toBeNull();
  });

  it('is refused to pages of other origins and open to scripts that name none', async () => {
    const visitor = new Visitor();
    const foreign = { origin: 'https://evil.example' };
    const fields = { email: 'ann@example.org', password: PASSWORD };
    await expect(visitor.post('callback/credentials', fields, foreign)).rejects.toMatchObject({
      code: 'wrong_origin',
    });
    const { csrfToken } = (await (await visitor.send('csrf')).json()) as { csrfToken: string };
    const body = JSON.stringify({ ...fields, csrfToken, json: 'true' });
    const headers = { 'content-type': 'application/json' };
    expect((await visitor.send('callback/credentials', { method: 'POST', body, headers })).status).toBe(200);
    expect(await visitor.whoAmI()).toMatchObject({ email: 'ann@example.org' });
  });

  it('never leads to another origin', async () => {
    for (const callbackUrl of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      expect(await (await new Visitor().signIn(PASSWORD, { callbackUrl })).json()).toEqual({
        url: `${ORIGIN}/`,
      });
    }
    const visitor = new Visitor();
    visitor.cookies.set('next-auth.callback-url', 'javascript:alert(1)');
    expect((await visitor.send('session?callbackUrl=javascript:alert(1)')).status).toBe(200);
    expect(await (await visitor.signIn()).json()).toEqual({ url: `${ORIGIN}/` });
  });

  it('uses secure cookies and the configured address under https, and the base path', async () => {
    configure({ NEXTAUTH_URL: 'https://ops.example', KEYWARD_BASE_PATH: '/keyward' });
    const visitor = new Visitor();
    const response = await visitor.post(
      'callback/credentials',
      { email: 'ann@example.org', password: PASSWORD },
      { origin: 'https://ops.example' },
    );
    expect(await response.json()).toEqual({ url: 'https://ops.example/keyward/' });
    const set = response.headers.getSetCookie().find((each) => each.includes('session-token'))!;
    expect(set).toMatch(/^__Secure-next-auth\.session-token=.*Secure/);
    expect(response.headers.getSetCookie().find((each) => each.startsWith('keyward-device='))).toMatch(
      /; Path=\/keyward; .*; Secure$/,
    );
    expect(await visitor.whoAmI()).toMatchObject({ email: 'ann@example.org' });
    const refused = await visitor.signIn('wrong').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 401 });
    expect((await visitor.send('signin')).headers.get('location')).toMatch(
      /^\/keyward\/sign-in\?callbackUrl=/,
    );
  });
});

describe('a session', () => {
  it('ends for next-auth too when the user is disabled, without a word in the log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ann = new Visitor();
    await ann.signIn();
    const { id } = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
    await updateUser(test.ctx.store, id, { disabled: true });
    expect(await (await ann.send('session')).json()).toEqual({});
    expect([...ann.cookies.keys()]).not.toContain('next-auth.session-token');
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });

  it('ends on the server with signing out: a copied cookie is nobody', async () => {
    const [ann, thief] = [new Visitor(), new Visitor()];
    await ann.signIn();
    for (const [name, value] of ann.cookies) thief.cookies.set(name, value);
    expect(await thief.whoAmI()).not.toBeNull();
    expect(await test.storeRedis.keys('keyward:session:*')).toHaveLength(1);
    await ann.post('signout', {});
    expect(await test.storeRedis.keys('keyward:session:*')).toHaveLength(0);
    expect(await thief.whoAmI()).toBeNull();
    const copies = [...thief.cookies];
    // What signs out again and again writes nothing more.
    for (let i = 0; i < 3; i++) {
      for (const [name, value] of copies) thief.cookies.set(name, value);
      expect((await thief.post('signout', {})).status).toBe(200);
    }
    expect((await audited()).filter(({ action }) => action === 'session.signOut')).toHaveLength(1);
    for (const [name, value] of copies) thief.cookies.set(name, value);
    expect(await (await thief.send('session')).json()).toEqual({});
  });

  it('keeps its cookie while only the store could tell, which is out of reach', async () => {
    const ann = new Visitor();
    await ann.signIn();
    const real = store();
    store.replace(openStore('redis://127.0.0.1:1'));
    try {
      await expect(ann.send('session')).rejects.toMatchObject({ code: 'store_unavailable' });
    } finally {
      store().close();
      store.replace(real);
      storeBackoff().until = 0;
    }
    expect([...ann.cookies.keys()]).toContain('next-auth.session-token');
    expect(await ann.whoAmI()).not.toBeNull();
  });

  it('cannot be changed or prolonged by its owner', async () => {
    const ann = new Visitor();
    await ann.signIn();
    const { csrfToken } = (await (await ann.send('csrf')).json()) as { csrfToken: string };
    const first = (await (await ann.send('session')).json()) as { expires: string };
    const body = JSON.stringify({ csrfToken, data: { role: 'admin', signedInAt: Date.now() + 9e9 } });
    const headers = { 'content-type': 'application/json', origin: ORIGIN };
    await ann.send('session', { method: 'POST', body, headers });
    expect(await ann.whoAmI()).toMatchObject({ role: 'support' });
    expect(((await (await ann.send('session')).json()) as { expires: string }).expires).toBe(first.expires);
  });
});

describe('bad input', () => {
  const post = (body: string, type = 'application/json') =>
    new Visitor().send('callback/credentials', { method: 'POST', body, headers: { 'content-type': type } });

  it('is refused without a word of what was sent', async () => {
    await expect(post('{"password": "hunter2"')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(post('["hunter2"]')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(post('x'.repeat(20_000))).rejects.toMatchObject({ code: 'too_large' });
    const typed = await post('{"email": {"$gt": ""}, "password": ["a"], "callbackUrl": {"a": 1}}');
    expect([200, 302, 401]).toContain(typed.status);
  });

  it("keeps strangers' words out of the log", async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const body = JSON.stringify({ level: 'error', code: 'forged', message: 'x' });
    const headers = { 'content-type': 'application/json' };
    expect((await new Visitor().send('_log', { method: 'POST', body, headers })).status).toBe(204);
    expect((await new Visitor().send('callback/nothing')).status).toBe(400);
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });
});
