import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { DAY_SECONDS, expectNoSecret, makeJwt, seedSession } from '@/scripts/testing/sessions';
import { type Session, sessionContracts } from './schema';
import { listSessions } from './search';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const listInput = (raw: object) => sessionContracts.list.input.parse(raw);

/** Every page to the end. */
const listAll = async (
  raw: object = {},
): Promise<{ sessions: Session[]; pages: number; examined: number }> => {
  const sessions: Session[] = [];
  let [pages, examined] = [0, 0];
  let cursor: string | undefined;
  do {
    const page = sessionContracts.list.result.parse(
      await listSessions(test.ctx, listInput({ ...raw, ...(cursor === undefined ? {} : { cursor }) })),
    );
    sessions.push(...page.items);
    pages += 1;
    examined += page.examined;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { sessions, pages, examined };
};

const user = async (userId: string, complete = false) =>
  sessionUserContracts.user.result.parse(
    await readUser(test.ctx, sessionUserContracts.user.input.parse({ userId, complete })),
  );

const tokens: string[] = [];

/** One of everything that was met in practice; returns how many session keys there are. */
const seedDamage = async (): Promise<void> => {
  const { redis } = test;
  const device_info = JSON.stringify({ user_agent: 'Firefox', ip: '10.1.2.3' });
  const keep = (token: string) => {
    tokens.push(token);
    return token;
  };
  for (let i = 0; i < 3; i++) keep((await seedSession(redis, { fields: { device_info } })).token);
  keep((await seedSession(redis, { indexed: false })).token);
  keep((await seedSession(redis, { ttl: null, username: 'Bob' })).token);
  keep((await seedSession(redis, { fields: { device_info: '{broken' } })).token);
  keep((await seedSession(redis, { fields: { auth_data: 'x'.repeat(1_000_000) } })).token);
  await redis.hset(`session:123:${keep(makeJwt({ user_id: 123 }, 'ghost'))}`, 'last_activity', '1700000000');
  await redis.set(`session:123:${keep(makeJwt({ user_id: 123 }, 'string'))}`, 'x', 'EX', 60);
  await redis.sadd('user_sessions:123', keep(makeJwt({ user_id: 123 }, 'stale')));
  await redis.hset(Buffer.from('session:123:\xff\xfe', 'latin1'), 'user_id', '123');
  await redis.hset(`session:abc:${keep(makeJwt({}, 'abc'))}`, 'user_id', 'abc');
  await redis.hset('session:', 'user_id', '1');
  await redis.hset(`session:${'9'.repeat(40)}:x`, 'user_id', '1');
  await redis.set(`session:123:${tokens[0]}:invalidated`, '1');
  await redis.set(`123-alice-${keep(makeJwt({}, 'legacy'))}`, '1', 'EX', 600);
  await redis.set(`1234-alice-${keep(makeJwt({}, 'other'))}`, '1');
};

describe('the list', () => {
  it('tells every state, and shows no token', async () => {
    await seedDamage();
    const { sessions, examined } = await listAll();
    const counts = new Map<string, number>();
    for (const { states } of sessions) counts.set(states.join(), (counts.get(states.join()) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({
      live: 4,
      unindexed: 1,
      'live,noTtl': 1,
      malformed: 1,
      'malformed,unindexed': 1,
      'ghost,unindexed,noTtl': 1,
      'malformed,unindexed,noTtl': 4,
    });
    expect(examined).toBe(14);
    expect(sessions.filter((session) => session.handle === null)).toHaveLength(2);
    expect(new Set(sessions.map((session) => session.fingerprint)).size).toBe(13);
    expectNoSecret(JSON.stringify(sessions), tokens);
  });

  it('filters by name, device and state', async () => {
    await seedDamage();
    expect((await listAll({ username: 'BO' })).sessions.map((s) => s.username)).toEqual(['Bob']);
    expect((await listAll({ device: 'fire' })).sessions).toHaveLength(3);
    expect((await listAll({ state: 'ghost' })).sessions).toHaveLength(1);
    expect((await listAll({ state: 'noTtl' })).sessions).toHaveLength(6);
    expect((await listAll({ username: '*' })).sessions).toHaveLength(0);
    expect((await listAll({ username: '[' })).sessions).toHaveLength(0);
  });

  it.each([1, 3, 7, 100])('gives each session once, in pages of at most %i', async (limit) => {
    for (let i = 0; i < 60; i++) await seedSession(test.redis, { userId: String(i) });
    for (let i = 0; i < 200; i++) await test.redis.set(`other:${i}`, '1');
    const { sessions, pages } = await listAll({ limit });
    expect(sessions.map((session) => session.userId).sort()).toEqual(
      Array.from({ length: 60 }, (_, i) => String(i)).sort(),
    );
    expect(pages).toBeGreaterThanOrEqual(Math.ceil(60 / limit));
  });

  it('describes a session fully', async () => {
    const createdAt = 1_760_000_000;
    const now = () => (createdAt + 3600) * 1000;
    const fields = {
      last_activity: String(createdAt + 600),
      device_info: JSON.stringify({ user_agent: 'Safari', ip: '::1', device: 'iPhone' }),
    };
    await seedSession(test.redis, { createdAt, fields, ttl: 100 });
    const { items } = await listSessions(test.as({ now }), listInput({}));
    expect(items[0]).toMatchObject({
      userId: '123',
      username: 'alice',
      createdAt: '2025-10-09T08:53:20.000Z',
      lastActivity: '2025-10-09T09:03:20.000Z',
      ttlSeconds: 100,
      device: { label: 'iPhone', userAgent: 'Safari', address: '::1' },
      indexed: true,
      states: ['live'],
      jwt: { issuedAt: '2025-10-09T08:53:20.000Z', subject: '123' },
    });
    expect(items[0]?.jwt?.disagreements).toHaveLength(1);
    expect(items[0]?.handle).toMatch(/^123\.[\w-]{22}$/);
    expect(items[0]?.handle).not.toContain(items[0]?.fingerprint);
  });

  it('refuses a cursor that is none, and a connection without sessions', async () => {
    await expect(listSessions(test.ctx, listInput({ cursor: '*' }))).rejects.toMatchObject({ status: 400 });
    const catalog = { ...test.ctx.catalog, role: () => undefined };
    const refused = listSessions({ ...test.ctx, catalog }, listInput({}));
    await expect(refused).rejects.toThrow(Problem);
  });

  it('leaves the hit rate as it was', async () => {
    await seedDamage();
    const stats = async () => {
      const info = await test.redis.info('stats');
      return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
    };
    const own = test.handle.own.snapshot();
    const before = await stats();
    await listAll({ limit: 3 });
    await user('123');
    const after = await stats();
    const now = test.handle.own.snapshot();
    expect([after[0]! - before[0]!, after[1]! - before[1]!]).toEqual([
      now.hits - own.hits,
      now.misses - own.misses,
    ]);
  });
});

describe('a user', () => {
  it('has everything that lets them in, in a small keyspace at once', async () => {
    await seedDamage();
    const { redis } = test;
    await redis.set('oauth_access:123:google', 'bare-secret-access-token', 'EX', 3600);
    await redis.set('oauth_refresh:123:vk', JSON.stringify({ token: 'secret-refresh-token' }));
    await redis.set('oauth_refresh:1234:vk', 'other');
    await redis.hset('verification:123:password_reset:Zq7pXv2mLr9tKw1', 'user_id', '123');
    await redis.set(
      'verification_token:Zq7pXv2mLr9tKw2',
      JSON.stringify({ user_id: 123, token_type: 'email_change' }),
      'EX',
      60,
    );
    await redis.set('verification_token:Zq7pXv2mLr9tKw3', JSON.stringify({ user_id: 1234 }));
    await redis.set('verification_token:Zq7pXv2mLr9tKw4', '{broken');
    await redis.hset('verification_token:Zq7pXv2mLr9tKw5', 'user_id', '123');
    await seedSession(redis, { userId: '1234' });
    const found = await user('123');
    expect(found).toMatchObject({
      userId: '123',
      staleIndex: 1,
      unindexed: 4,
      complete: true,
    });
    expect(found.sessions).toHaveLength(10);
    expect(found.oauth.map(({ kind, provider, ttlSeconds }) => [kind, provider, ttlSeconds])).toEqual([
      ['access', 'google', 3600],
      ['refresh', 'vk', null],
    ]);
    expect(found.verifications.map(({ type }) => type).sort()).toEqual(['email_change', 'password_reset']);
    expect(found.legacy).toMatchObject([{ username: 'alice', ttlSeconds: 600 }]);
    expectNoSecret(JSON.stringify(found), [...tokens, 'secret-refresh-token', 'bare-secret-access-token']);
    expectNoSecret(JSON.stringify(found), ['Zq7pXv2mLr9tKw1', 'Zq7pXv2mLr9tKw2']);
  });

  it('is listed with the latest activity first', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    for (const ago of [300, 100, 200])
      await seedSession(test.redis, {
        username: `alice${ago}`,
        fields: { last_activity: String(seconds - ago) },
      });
    const { sessions, username } = await user('123');
    expect(sessions.map((session) => session.username)).toEqual(['alice100', 'alice200', 'alice300']);
    expect(username).toBe('alice100');
  });

  it('with nothing has nothing, and an index of the wrong type knows nothing', async () => {
    expect(await user('5')).toMatchObject({ username: null, sessions: [], oauth: [], staleIndex: 0 });
    await seedSession(test.redis, { userId: '5', indexed: false });
    await test.redis.set('user_sessions:5', 'x');
    expect(await user('5')).toMatchObject({ unindexed: 1, staleIndex: 0, complete: true });
  });

  it('in a large keyspace comes from the index at once, and from a scan when asked', async () => {
    const { redis, ctx } = test;
    await seedSession(redis);
    await seedSession(redis, { indexed: false });
    await redis.set('123-alice-0123456789abcdef', '1');
    await redis.set('verification_token:secret1', JSON.stringify({ user_id: '123' }));
    const reader = { ...ctx.reader, size: async () => 1_000_000 };
    const input = sessionUserContracts.user.input.parse({ userId: '123' });
    const quick = await readUser({ ...ctx, reader }, input);
    expect(quick).toMatchObject({ complete: false, unindexed: 0, legacy: [], verifications: [] });
    expect(quick.sessions).toHaveLength(1);
    const whole = await readUser({ ...ctx, reader }, { ...input, complete: true });
    expect(whole).toMatchObject({ complete: true, unindexed: 1 });
    expect([whole.sessions, whole.legacy, whole.verifications].map((list) => list.length)).toEqual([2, 1, 1]);
  });

  it('with 3000 index entries is cut, says so, and loads no large value', async () => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 3000; i++) pipeline.sadd('user_sessions:123', makeJwt({ i }, 'stale'));
    await pipeline.exec();
    await seedSession(test.redis, { ttl: DAY_SECONDS, fields: { device_info: 'y'.repeat(500_000) } });
    const found = await user('123', true);
    expect(found.complete).toBe(false);
    expect(found.staleIndex).toBeLessThanOrEqual(1000);
    const { sessions } = await listAll();
    expect(sessions).toMatchObject([{ states: ['live'], device: { label: null } }]);
  });
});
