import { encode } from 'next-auth/jwt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { processWide } from '@/lib/process-wide';
import { openStore, type Store, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { createApiToken, listApiTokens, revokeApiToken } from './api-tokens';
import { authenticate } from './authenticate';
import { endSession, SESSION_MS, startSession } from './session-records';
import { readSession, storeBackoff } from './user-sessions';
import { createUser, findUser, type StoredUser, updateUser } from './users';

const SECRET = 'a-secret-for-tests-only';
const ENVIRONMENT_TOKEN = 'environment-token-of-at-least-32-characters';
const COOKIE = 'next-auth.session-token';

let test: TestContext;
let ann: StoredUser;
beforeAll(async () => {
  Object.assign(process.env, { NEXTAUTH_SECRET: SECRET, KEYWARD_API_TOKEN: ENVIRONMENT_TOKEN });
  test = await testContext();
});
beforeEach(async () => {
  await test.empty();
  const user = { email: 'ann@example.org', name: 'Ann', role: 'support' as const, passwordHash: '' };
  const created = await createUser(test.ctx.store, user, { now: Date.now() });
  if (!created.ok) throw new Error(created.reason);
  ann = created.user;
});
afterAll(() => test.close());

const cookieOf = async (
  user: StoredUser,
  change: Record<string, unknown> = {},
  secret = SECRET,
): Promise<string> => {
  const { signedInAt = Date.now() } = change;
  const begun = await startSession(test.ctx.store, user, Number(signedInAt));
  return encode({ token: { ...begun, ...change }, secret, maxAge: 3600 });
};
const ask = (headers: Record<string, string>) =>
  authenticate(new Request('http://127.0.0.1/api/v1/account', { headers }));
const withCookie = (token: string) => ask({ cookie: `theme=dark; ${COOKIE}=${token}` });
const annActor = () => ({
  kind: 'user',
  id: ann.id,
  email: ann.email,
  name: 'Ann',
  role: 'support',
  epoch: 1,
});

describe('a session cookie', () => {
  it('stands for the user, with the role of now', async () => {
    const token = await cookieOf(ann);
    expect(await withCookie(token)).toMatchObject(annActor());
    await updateUser(test.ctx.store, ann.id, { role: 'viewer', name: 'Anne' });
    expect(await withCookie(token)).toMatchObject({ role: 'viewer', name: 'Anne' });
  });

  it('ends when it is signed out of, a copy of the cookie too, in every process', async () => {
    const [token, other] = [await cookieOf(ann), await cookieOf(ann)];
    const { session } = (await readSession(`${COOKIE}=${token}`, Date.now()))!;
    expect(await withCookie(token)).not.toBeNull();
    await endSession(test.ctx.store, session);
    processWide('sessions-seen', () => null).forget();
    expect(await withCookie(token)).toBeNull();
    expect(await withCookie(other)).not.toBeNull();
  });

  it('has a record that says nothing of the cookie, and is not believed when written by others', async () => {
    const token = await cookieOf(ann);
    const { session, signedInAt } = (await readSession(`${COOKIE}=${token}`, Date.now()))!;
    const [key] = await test.storeRedis.keys('keyward:session:*');
    expect(key + JSON.stringify(await test.storeRedis.hgetall(key!))).not.toContain(session);
    expect(await test.storeRedis.pttl(key!)).toBeGreaterThan(SESSION_MS - 60_000);
    const root = await createUser(
      test.ctx.store,
      { email: 'root@example.org', name: 'Root', role: 'admin', passwordHash: '' },
      { now: Date.now() },
    );
    if (!root.ok) throw new Error(root.reason);
    await test.storeRedis.hset(key!, 'user', root.user.id);
    expect(await withCookie(token)).toBeNull();
    // Even with a cookie that says the same.
    processWide('sessions-seen', () => null).forget();
    const claimed = await cookieOf(ann, { sub: root.user.id, session, signedInAt });
    expect(await withCookie(claimed)).toBeNull();
  });

  it('may come in pieces', async () => {
    const token = await cookieOf(ann);
    const at = token.length >> 1;
    const cookie = `${COOKIE}.1=${token.slice(at)}; ${COOKIE}.0=${token.slice(0, at)}`;
    expect(await ask({ cookie })).toMatchObject(annActor());
  });

  it.each([
    ['disabling', { disabled: true }],
    ['a new password', { passwordHash: 'x' }],
    ['signing out everywhere', { endSessions: true }],
  ])('ends at once with %s', async (_name, change) => {
    const token = await cookieOf(ann);
    expect(await withCookie(token)).not.toBeNull();
    await updateUser(test.ctx.store, ann.id, change);
    expect(await withCookie(token)).toBeNull();
  });

  it('is the first of its name, whatever other cookies hold', async () => {
    const token = await cookieOf(ann);
    const cookie = `=x; flag; __proto__=x; broken=%E0%A4%A; ${COOKIE}=${token}; ${COOKIE}=forged`;
    expect(await ask({ cookie })).toMatchObject(annActor());
    expect(await ask({ cookie: `${COOKIE}=forged; ${COOKIE}=${token}` })).toBeNull();
  });

  it('ends after eight hours, however often it was renewed', async () => {
    expect(await withCookie(await cookieOf(ann, { signedInAt: Date.now() - SESSION_MS }))).toBeNull();
    expect(
      await withCookie(await cookieOf(ann, { signedInAt: Date.now() - SESSION_MS + 5000 })),
    ).not.toBeNull();
  });

  it('is nobody when forged, cut, of another secret, incomplete, or of nobody there', async () => {
    const token = await cookieOf(ann);
    expect(await withCookie(token.slice(0, -4))).toBeNull();
    expect(await withCookie('nonsense%')).toBeNull();
    expect(await withCookie(await cookieOf(ann, {}, 'another-secret'))).toBeNull();
    expect(await withCookie(await cookieOf(ann, { epoch: undefined }))).toBeNull();
    // A cookie from before sessions had records.
    expect(await withCookie(await cookieOf(ann, { session: undefined }))).toBeNull();
    expect(await withCookie(await cookieOf(ann, { role: 'evaluator' }))).toBeNull();
    expect(await withCookie(await cookieOf({ ...ann, id: 'nobody' }))).toBeNull();
    expect(await ask({})).toBeNull();
  });

  it('notes when the user was last seen', async () => {
    await withCookie(await cookieOf(ann));
    await expect.poll(async () => (await findUser(test.ctx.store, ann.id))?.lastSeenAt).toBeGreaterThan(0);
  });
});

describe('an API token', () => {
  const makeToken = (expiresAt: number | null = null) =>
    createApiToken(
      test.ctx.store,
      { name: 'CI', role: 'evaluator', createdBy: 'ann', expiresAt },
      Date.now(),
    );
  const bearer = (token: string) => ask({ authorization: `Bearer ${token}` });

  it('stands for its role until it is revoked, and is kept as a digest only', async () => {
    const { token, apiToken } = await makeToken();
    expect(token).toMatch(/^kw_[\w-]{43}$/);
    expect(await bearer(token)).toEqual({ kind: 'token', id: apiToken.id, name: 'CI', role: 'evaluator' });
    expect(await ask({ authorization: `bearer  ${token}` })).not.toBeNull();
    for (const key of await test.storeRedis.keys('*')) {
      const held = key.match(/api-token:/) ? await test.storeRedis.hgetall(key) : {};
      expect(key + JSON.stringify(held)).not.toContain(token.slice(3));
    }
    expect(await revokeApiToken(test.ctx.store, apiToken.id)).toMatchObject({ name: 'CI' });
    expect(await bearer(token)).toBeNull();
    expect(await revokeApiToken(test.ctx.store, apiToken.id)).toBeNull();
    expect(await listApiTokens(test.ctx.store)).toEqual([]);
    expect((await test.storeRedis.keys('keyward:api-token*')).length).toBe(0);
  });

  it('ends when it expires and stays listed', async () => {
    const { token } = await makeToken(Date.now() + 150);
    expect(await bearer(token)).not.toBeNull();
    await expect.poll(() => bearer(token), { timeout: 3000 }).toBeNull();
    expect(await listApiTokens(test.ctx.store)).toMatchObject([{ name: 'CI', role: 'evaluator' }]);
  });

  it('leaves the list when its keys have gone', async () => {
    const { apiToken } = await makeToken();
    await test.storeRedis.del(`keyward:api-token:${apiToken.id}`);
    expect(await listApiTokens(test.ctx.store)).toEqual([]);
    expect(await test.storeRedis.scard('keyward:api-tokens')).toBe(0);
  });

  it('notes its last use', async () => {
    const { token } = await makeToken();
    await bearer(token);
    await expect.poll(async () => (await listApiTokens(test.ctx.store))[0]?.lastUsedAt).toBeGreaterThan(0);
  });

  it('that is invalid leaves the request unauthenticated, even with a valid cookie', async () => {
    const cookie = `${COOKIE}=${await cookieOf(ann)}`;
    for (const authorization of ['Bearer kw_wrong', 'Bearer', 'bearer ', `Bearer kw_${'x'.repeat(43)}`]) {
      expect(await ask({ cookie, authorization })).toBeNull();
    }
    // A proxy's own Basic authentication is not ours to judge.
    expect(await ask({ cookie, authorization: 'Basic YTpi' })).toMatchObject(annActor());
  });

  it('may come from the environment', async () => {
    expect(await bearer(ENVIRONMENT_TOKEN)).toMatchObject({
      kind: 'token',
      id: 'environment',
      role: 'admin',
    });
    expect(await bearer(`${ENVIRONMENT_TOKEN}x`)).toBeNull();
    delete process.env.KEYWARD_API_TOKEN;
    forgetEnv();
    expect(await bearer(ENVIRONMENT_TOKEN)).toBeNull();
    expect(await bearer('')).toBeNull();
    process.env.KEYWARD_API_TOKEN = ENVIRONMENT_TOKEN;
    forgetEnv();
  });
});

describe('while the store is gone', () => {
  let real: Store | undefined;
  const cutOff = () => {
    real = store();
    store.replace(openStore('redis://127.0.0.1:1'));
  };
  const cameBack = () => {
    if (real) store.replace(real);
    real = undefined;
    storeBackoff().until = 0;
  };
  /** What a new process knows: nothing. */
  const restarted = () => {
    for (const name of ['users-seen', 'sessions-seen', 'api-tokens-seen'])
      processWide(name, () => null).forget();
  };
  afterEach(() => {
    vi.useRealTimers();
    cameBack();
  });

  it('keeps people this process has seen as they were seen last', async () => {
    const token = await cookieOf(ann);
    await updateUser(test.ctx.store, ann.id, { role: 'product' });
    await withCookie(token);
    cutOff();
    expect(await withCookie(token)).toMatchObject({ id: ann.id, role: 'product' });
    cameBack();
    await updateUser(test.ctx.store, ann.id, { disabled: true });
    expect(await withCookie(token)).toBeNull();
    cutOff();
    expect(await withCookie(token)).toBeNull();
  });

  it('admits nobody it has not seen: neither another user nor another session of one it knows', async () => {
    const [token, other, forged] = [
      await cookieOf(ann),
      await cookieOf(ann),
      await cookieOf(ann, {}, 'another-secret'),
    ];
    await withCookie(other);
    await findUser(test.ctx.store, ann.id);
    cutOff();
    await expect(withCookie(token)).rejects.toMatchObject({ code: 'store_unavailable', status: 503 });
    // The moment in which the store is not asked again.
    await expect(withCookie(token)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await withCookie(other)).toMatchObject(annActor());
    expect(await withCookie(forged)).toBeNull();
    restarted();
    await expect(withCookie(other)).rejects.toMatchObject({ code: 'store_unavailable' });
    cameBack();
    expect(await withCookie(token)).toMatchObject(annActor());
  });

  it('knows a token’s owner as last seen', async () => {
    const made = { name: 'CI', role: 'admin' as const, createdBy: 'ann', owner: ann.id, expiresAt: null };
    const { token } = await createApiToken(test.ctx.store, made, Date.now());
    const bearer = () => ask({ authorization: `Bearer ${token}` });
    await bearer();
    cutOff();
    expect(await bearer()).toMatchObject({ role: 'support' });
    cameBack();
    await test.storeRedis.hset(`keyward:user:${ann.id}`, 'disabled', '1');
    await findUser(test.ctx.store, ann.id);
    cutOff();
    expect(await bearer()).toBeNull();
    restarted();
    await expect(bearer()).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('keeps a session ended that was signed out of meanwhile', async () => {
    const token = await cookieOf(ann);
    expect(await withCookie(token)).not.toBeNull();
    const { session } = (await readSession(`${COOKIE}=${token}`, Date.now()))!;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const gone = openStore('redis://127.0.0.1:1');
    const withReplica = vi
      .fn()
      .mockImplementationOnce(gone.withReplica)
      .mockImplementation(store().withReplica);
    await endSession({ ...store(), withReplica }, session);
    gone.close();
    expect(await withCookie(token)).toBeNull();
    expect(await test.storeRedis.keys('keyward:session:*')).toHaveLength(1);
    // The record goes once the store is back.
    vi.advanceTimersByTime(5000);
    vi.useRealTimers();
    await expect.poll(() => test.storeRedis.keys('keyward:session:*')).toHaveLength(0);
  });

  it('tries the end of a session again once at a time, however often it was signed out of', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const withReplica = vi.fn(() => Promise.reject(new Error('away')));
    const away = { ...store(), withReplica };
    for (let i = 0; i < 50; i++) await endSession(away, 'one-session');
    await endSession(away, 'another');
    // Each round is one attempt per session.
    for (let round = 1; round <= 2; round++) {
      withReplica.mockClear();
      await vi.advanceTimersByTimeAsync(5000);
      expect([round, withReplica.mock.calls.length]).toEqual([round, 2]);
    }
  });

  it('keeps API tokens it has verified and cannot tell about others', async () => {
    const make = () =>
      createApiToken(
        test.ctx.store,
        { name: 'CI', role: 'viewer', createdBy: 'ann', expiresAt: null },
        Date.now(),
      );
    const [known, unknown] = [await make(), await make()];
    const bearer = ({ token }: { token: string }) => ask({ authorization: `Bearer ${token}` });
    await bearer(known);
    cutOff();
    expect(await bearer(known)).toMatchObject({ id: known.apiToken.id, role: 'viewer' });
    await expect(bearer(unknown)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await ask({ authorization: `Bearer ${ENVIRONMENT_TOKEN}` })).toMatchObject({ role: 'admin' });
  });
});
