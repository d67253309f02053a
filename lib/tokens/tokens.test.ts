import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { readStats } from '@/lib/sessions/stats';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { expectNoSecret, makeJwt } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { revokeOauthStates, revokeOauthTokens, revokeVerificationTokens } from './commands';
import { listOauthStates, listOauthTokens, listVerificationTokens } from './reads';
import { tokenContracts } from './schema';

const SECRETS = {
  bare: 'ya29.Zq7pXv2mLr9tKw1bare',
  json: 'ya29.Zq7pXv2mLr9tKw2json',
  refresh: '1//Zq7pXv2mLr9tKw3refresh',
  hash: 'Zq7pXv2mLr9tKw4hashed0',
  string: 'Zq7pXv2mLr9tKw5string0',
  state: 'Zq7pXv2mLr9tKw6state00',
  csrf: 'Zq7pXv2mLr9tKw7csrf000',
};

describe.each(BOTH_WAYS)('tokens, %s', (_, redisArgs) => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'], role: 'support', redisArgs });
  });
  afterAll(() => test.close());

  const seconds = () => Math.floor(Date.now() / 1000);

  beforeEach(async () => {
    await test.empty();
    const { redis } = test;
    const value = { token: SECRETS.json, provider: 'github', created_at: seconds() - 700, user_id: 2 };
    await redis.set('oauth_access:1:google', SECRETS.bare, 'EX', 3000);
    await redis.set('oauth_access:2:github', JSON.stringify(value), 'EX', 2900);
    await redis.set('oauth_refresh:1:google', SECRETS.refresh);
    await redis.set('oauth_refresh:3:vk', `{"token":"${'x'.repeat(100_000)}"}`, 'EX', 60);
    await redis.hset('oauth_refresh:3:google', 'a', 'b');
    await redis.set('oauth_access:1:nobody', 'x');
    await redis.hset(`verification:1:password_reset:${SECRETS.hash}`, {
      user_id: '1',
      created_at: String(seconds() - 100),
      data: JSON.stringify({ secret: SECRETS.csrf }),
    });
    await redis.expire(`verification:1:password_reset:${SECRETS.hash}`, 200);
    const written = { user_id: 1, token_type: 'email_change', created_at: seconds() - 50 };
    await redis.set(`verification_token:${SECRETS.string}`, JSON.stringify(written), 'EX', 1800);
    await redis.set('verification_token:broken', '{broken', 'EX', 1800);
    const flow = { redirect_uri: 'https://x', csrf_token: SECRETS.csrf, provider: 'google' };
    await redis.hset(`oauth_state:${SECRETS.state}`, flow);
    await redis.expire(`oauth_state:${SECRETS.state}`, 500);
    await redis.hset('oauth_state:other', { provider: 'vk' });
  });

  const oauth = async (raw: object = {}) =>
    tokenContracts.oauthList.result.parse(
      await listOauthTokens(test.ctx, tokenContracts.oauthList.input.parse(raw)),
    ).items;
  const verifications = async (raw: object = {}) =>
    tokenContracts.verificationList.result.parse(
      await listVerificationTokens(test.ctx, tokenContracts.verificationList.input.parse(raw)),
    ).items;
  const states = async (raw: object = {}) =>
    tokenContracts.stateList.result.parse(
      await listOauthStates(test.ctx, tokenContracts.stateList.input.parse(raw)),
    ).items;
  const call = (raw: object) => ({
    actor: testActor('support'),
    requestId: randomUUID(),
    connection: test.handle,
    raw,
  });

  it('are listed with their age and form, never with their value', async () => {
    const items = await oauth();
    const lines = items.map(({ userId, kind, provider, form, createdFrom }) =>
      [userId, kind, provider, form, createdFrom].join(' '),
    );
    expect(lines.sort()).toEqual([
      '1 access google bare ttl',
      '1 refresh google bare ',
      '2 access github json value',
      '3 refresh google other ',
      '3 refresh vk large ttl',
    ]);
    const bare = items.find(({ id }) => id.startsWith('1.') && items.length > 0)!;
    expect(bare.id).toMatch(/^1\.[\w-]{22}$/);
    const age = (at: string | null | undefined) => Math.round((Date.now() - Date.parse(at!)) / 1000);
    expect(age(items.find(({ form }) => form === 'json')?.createdAt)).toBeCloseTo(700, -1);
    expect(
      age(items.find(({ createdFrom, kind }) => createdFrom === 'ttl' && kind === 'access')?.createdAt),
    ).toBeCloseTo(600, -1);
    const checks = await verifications();
    expect(checks.map(({ userId, type, form }) => [userId, type, form]).sort()).toEqual([
      [null, null, 'json'],
      ['1', 'email_change', 'json'],
      ['1', 'password_reset', 'hash'],
    ]);
    expect((await states()).map(({ provider, ttlSeconds }) => [provider, ttlSeconds]).sort()).toEqual([
      ['google', 500],
      ['vk', null],
    ]);
    expectNoSecret(JSON.stringify([items, checks, await states()]), Object.values(SECRETS));
  });

  it('are read from JSON strings and Python dictionaries, as the real application writes them', async () => {
    const { redis } = test;
    await test.empty();
    const at = seconds() - 300;
    const value = {
      provider: 'vk',
      redirect_uri: `https://x/?code=${SECRETS.bare}`,
      csrf_token: SECRETS.csrf,
      created_at: at,
    };
    const python = (fields: object) => JSON.stringify(fields).replaceAll('"', "'");
    await redis.set(`oauth_state:${SECRETS.state}`, JSON.stringify(value), 'EX', 600);
    await redis.set('oauth_state:python', python({ ...value, provider: 'github' }), 'EX', 600);
    await redis.hset('oauth_state:hash', { provider: 'google', created_at: String(at) });
    await redis.set('oauth_state:bare', SECRETS.bare, 'EX', 550);
    await redis.sadd('oauth_state:set', 'x');
    const lines = (await states()).map(({ provider, createdFrom, createdAt }) =>
      [provider, createdFrom, createdAt && Math.round((Date.now() - Date.parse(createdAt)) / 10_000)].join(
        ' ',
      ),
    );
    expect(lines.sort()).toEqual(
      [' ttl 5', '  ', 'github value 30', 'google value 30', 'vk value 30'].sort(),
    );
    expect(await states({ provider: 'vk' })).toHaveLength(1);
    const raw = { filter: { provider: 'github' } };
    expect(await runCommand(revokeOauthStates, call(raw))).toMatchObject({
      matched: 1,
      revoked: 1,
      remaining: 0,
    });
    expect(await redis.exists('oauth_state:python')).toBe(0);
    const token = { token: SECRETS.json, provider: 'vk', expires_in: 3600, user_id: 7, created_at: at };
    await redis.set(
      'oauth_access:7:vk',
      python({ ...token, scope: null }).replace('null', 'None'),
      'EX',
      3600,
    );
    await redis.set('oauth_refresh:7:vk', JSON.stringify(token), 'EX', 3600);
    const check = { user_id: 7, token_type: 'email_change', created_at: at };
    await redis.set(`verification_token:${SECRETS.string}`, python(check), 'EX', 3600);
    const created = new Date(at * 1000).toISOString();
    const read = { userId: '7', createdAt: created, createdFrom: 'value', form: 'json' };
    const tokens = await oauth({ userId: '7' });
    expect(tokens).toMatchObject([
      { ...read, kind: 'access' },
      { ...read, kind: 'refresh' },
    ]);
    const checks = await verifications({ userId: '7' });
    expect(checks).toMatchObject([{ ...read, type: 'email_change' }]);
    expectNoSecret(JSON.stringify([lines, tokens, checks]), Object.values(SECRETS));
  });

  it('leave the hit rate as it was, whatever their values are', async () => {
    const { redis } = test;
    await redis.set('oauth_state:json', '{"provider":"vk"}');
    await redis.set('oauth_state:python', "{'provider': 'vk'}");
    await redis.set('oauth_access:7:vk', "{'token': 'x'}");
    const counters = async () => {
      const info = await redis.info('stats');
      return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
    };
    const [before, own] = [await counters(), test.handle.own.snapshot()];
    await Promise.all([states(), oauth(), verifications()]);
    const [after, now] = [await counters(), test.handle.own.snapshot()];
    expect(after.map((count, i) => count - before[i]!)).toEqual([
      now.hits - own.hits,
      now.misses - own.misses,
    ]);
  });

  it('are filtered by provider, kind, user, type and by what expires soon', async () => {
    expect(await oauth({ provider: 'google' })).toHaveLength(3);
    expect(await oauth({ kind: 'access' })).toHaveLength(2);
    expect(await oauth({ userId: '1' })).toHaveLength(2);
    expect(await oauth({ expiringWithinSeconds: 100 })).toHaveLength(1);
    expect(await oauth({ provider: '*' })).toHaveLength(0);
    expect(await verifications({ type: 'email_change' })).toHaveLength(1);
    expect(await verifications({ userId: '1' })).toHaveLength(2);
    expect(await verifications({ expiringWithinSeconds: 300 })).toHaveLength(1);
    expect(await states({ provider: 'vk' })).toHaveLength(1);
    expect(await states({ expiringWithinSeconds: 600 })).toHaveLength(1);
  });

  it('are counted by provider and type', async () => {
    const { oauth: counted, verifications: types, oauthStates } = await readStats(test.ctx);
    expect(counted).toEqual([
      { kind: 'access', provider: 'github', count: 1 },
      { kind: 'access', provider: 'google', count: 1 },
      { kind: 'refresh', provider: 'google', count: 2 },
      { kind: 'refresh', provider: 'vk', count: 1 },
    ]);
    expect(types).toEqual([
      { type: null, count: 1 },
      { type: 'email_change', count: 1 },
      { type: 'password_reset', count: 1 },
    ]);
    expect(oauthStates).toBe(2);
  });

  it('are revoked one, selected and by filter, with a dry run and a proof', async () => {
    const [one] = await oauth({ userId: '2' });
    const ids = [one!.id, `2.${'A'.repeat(22)}`];
    const dry = await runCommand(revokeOauthTokens, call({ ids, dryRun: true }));
    expect(dry).toMatchObject({ matched: 2, revoked: 0, alreadyGone: 1, remaining: 1, auditId: null });
    const done = await runCommand(revokeOauthTokens, call({ ids, reason: 'leak' }));
    expect(done).toMatchObject({ matched: 2, revoked: 1, alreadyGone: 1, remaining: 0 });
    expect(await test.redis.exists('oauth_access:2:github')).toBe(0);
    expect(await runCommand(revokeOauthTokens, call({ filter: { provider: 'google' } }))).toMatchObject({
      matched: 3,
      revoked: 3,
      remaining: 0,
    });
    expect(await test.redis.exists('oauth_access:1:nobody', 'oauth_refresh:3:vk')).toBe(2);
    const [check] = await verifications({ type: 'email_change' });
    expect(await runCommand(revokeVerificationTokens, call({ ids: [check!.id] }))).toMatchObject({
      revoked: 1,
    });
    expect(await runCommand(revokeVerificationTokens, call({ filter: { userId: '1' } }))).toMatchObject({
      revoked: 1,
      remaining: 0,
    });
    expect(await runCommand(revokeOauthStates, call({ filter: { provider: 'google' } }))).toMatchObject({
      revoked: 1,
    });
    expect((await states()).length + (await verifications()).length).toBe(2);
    const { items } = await listEntries(test.ctx.store);
    expect(items.map(({ target }) => target)).toEqual([
      'OAuth states, provider=google',
      'user 1 (verification tokens)',
      '1 verification tokens',
      'OAuth tokens, provider=google',
      'user 2 (2 OAuth tokens)',
    ]);
    const stored = await test.storeRedis.xrange('keyward:audit', '-', '+');
    expectNoSecret(JSON.stringify([dry, done, items, stored]), Object.values(SECRETS));
  });

  it('a token pasted into a filter does not reach the audit log', async () => {
    const token = makeJwt({ user_id: 1 }, 'pasted');
    await runCommand(revokeOauthStates, call({ filter: { provider: token.slice(0, 60) } }));
    const stored = await test.storeRedis.xrange('keyward:audit', '-', '+');
    expectNoSecret(JSON.stringify(stored), [token]);
  });

  it.each([
    {},
    { ids: [] },
    { ids: ['x'] },
    { filter: {} },
    { filter: { token: 'x' } },
    { filter: { userId: '1*' } },
  ])('refuse %j with 400', async (raw) => {
    await expect(runCommand(revokeOauthTokens, call(raw))).rejects.toMatchObject({ status: 400 });
  });

  it('leave the hit rate as it was', async () => {
    const counters = async () => {
      const info = await test.redis.info('stats');
      return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
    };
    const [before, own] = [await counters(), test.handle.own.snapshot()];
    await Promise.all([oauth(), verifications(), states(), oauth({ userId: '1' })]);
    const [after, now] = [await counters(), test.handle.own.snapshot()];
    expect([after[0]! - before[0]!, after[1]! - before[1]!]).toEqual([
      now.hits - own.hits,
      now.misses - own.misses,
    ]);
  });
});
