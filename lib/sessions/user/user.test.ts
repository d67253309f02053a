import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { revokeOauthTokens, revokeVerificationTokens } from '@/lib/tokens/commands';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { expectNoSecret, makeJwt, seedSession } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { revokeSessions } from '../revocation/commands';
import type { Session } from '../schema';
import { sessionUserContracts } from './schema';
import { readUser } from './user';

const { input, result } = sessionUserContracts.user;

describe.each(BOTH_WAYS)('a user, %s', (_, redisArgs) => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'], role: 'support', redisArgs });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  /** As in a keyspace so large that nothing is scanned unless asked for. */
  const large = () => ({ ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } });

  const read = async (raw: object, ctx = test.ctx) => result.parse(await readUser(ctx, input.parse(raw)));

  /** Every page to the end. */
  const readAll = async (raw: object, ctx = test.ctx) => {
    const pages = [await read(raw, ctx)];
    for (;;) {
      const cursor = pages[pages.length - 1]!.nextCursor;
      if (!cursor) return pages;
      pages.push(await read({ ...raw, cursor }, ctx));
    }
  };

  const handles = (sessions: readonly Session[]) => sessions.map(({ handle }) => handle);

  const seedMany = async (count: number, indexed: boolean, salt: string) => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < count; i++) {
      const token = makeJwt({ user_id: 123, i }, salt);
      const fields = { user_id: '123', username: 'alice', created_at: '1700000000' };
      pipeline.hset(`session:123:${token}`, { ...fields, last_activity: String(1_700_000_000 + i) });
      if (indexed) pipeline.sadd('user_sessions:123', token);
    }
    await pipeline.exec();
  };

  describe('with more sessions than a page holds', () => {
    it('has them in pages, each once, and says on which page it ends', { tags: 'long' }, async () => {
      await seedMany(2300, true, 'indexed');
      const pages = await readAll({ userId: '123' }, large());
      expect(pages.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...pages.map(({ sessions }) => sessions.length))).toBeLessThanOrEqual(1000);
      expect(new Set(handles(pages.flatMap(({ sessions }) => sessions))).size).toBe(2300);
      // A page ends after a while too, so on a busy machine there may be more of them.
      expect(pages.map(({ cut }) => cut)).toEqual(pages.map((_, i) => i < pages.length - 1));
      expect(pages.every(({ complete }) => !complete)).toBe(true);
      expect(new Set(pages.map(({ indexEntries }) => indexEntries))).toEqual(new Set([2300]));
      expect(new Set(pages.map(({ username }) => username))).toEqual(new Set(['alice']));
      for (const { sessions } of pages) {
        const times = sessions.map(({ lastActivity }) => lastActivity!);
        expect(times).toEqual([...times].sort().reverse());
      }
    });

    it('counts stale entries page by page, and shows the others', async () => {
      await seedMany(30, true, 'indexed');
      const stale = Array.from({ length: 270 }, (_, i) => makeJwt({ i }, 'stale'));
      await test.redis.sadd('user_sessions:123', ...stale);
      const pages = await readAll({ userId: '123', limit: 100 }, large());
      expect(pages.length).toBeGreaterThanOrEqual(3);
      for (const { sessions, staleIndex } of pages)
        expect(sessions.length + staleIndex).toBeLessThanOrEqual(100);
      expect(pages.reduce((sum, { staleIndex }) => sum + staleIndex, 0)).toBe(270);
      expect(pages.flatMap(({ sessions }) => sessions)).toHaveLength(30);
    });

    it('counts each entry once while the index is rehashed', { tags: 'long' }, async () => {
      // A set of 257 entries has just begun to grow its table, and each look-up moves a bucket of it.
      for (let userId = 1; userId <= 12; userId++) {
        const stale = Array.from({ length: 257 + userId }, (_, i) => makeJwt({ i, userId }, 'stale'));
        await test.redis.sadd(`user_sessions:${userId}`, ...stale);
        const pages = await readAll({ userId: String(userId), limit: 100 }, large());
        const counted = pages.reduce((sum, { staleIndex }) => sum + staleIndex, 0);
        expect([userId, counted]).toEqual([userId, stale.length]);
      }
    });

    it('has what the index does not know on the first page, or on pages of its own where it is too much', async () => {
      await seedMany(25, true, 'indexed');
      await seedMany(8, false, 'unindexed');
      const few = await readAll({ userId: '123', complete: true, limit: 10 }, large());
      expect(few[0]!.unindexed).toBe(8);
      expect(few[0]!.sessions.filter(({ indexed }) => !indexed)).toHaveLength(8);
      expect(few.slice(1).every(({ unindexed }) => unindexed === 0)).toBe(true);
      expect(few.flatMap(({ sessions }) => sessions)).toHaveLength(33);
      await seedMany(31, false, 'more');
      const many = await readAll({ userId: '123', complete: true, limit: 10 }, large());
      expect(many[0]).toMatchObject({ unindexed: 39, cut: true, complete: false });
      expect(many[0]!.sessions.every(({ indexed }) => indexed)).toBe(true);
      const all = many.flatMap(({ sessions }) => sessions);
      expect(new Set(handles(all)).size).toBe(64);
      expect(all).toHaveLength(64);
      expect(all.slice(25).every(({ states }) => states.includes('unindexed'))).toBe(true);
      expect(many[many.length - 1]).toMatchObject({ cut: false, complete: true });
      // Without the search there is nothing after the index.
      const quick = await readAll({ userId: '123', limit: 10 }, large());
      expect(quick.flatMap(({ sessions }) => sessions)).toHaveLength(25);
      expect(quick.every(({ complete }) => !complete)).toBe(true);
    });

    it('has the lists beside them on the first page only', async () => {
      await seedMany(15, true, 'indexed');
      await test.redis.set('oauth_access:123:google', 'x', 'EX', 60);
      await test.redis.set('verification_token:Zq7pXv2mLr9tKw1', JSON.stringify({ user_id: 123 }));
      await test.redis.set('123-alice-0123456789abcdef', '1');
      const [first, second] = await readAll({ userId: '123', limit: 10 });
      const sizes = ({ oauth, verifications, legacy, related }: typeof first & object) =>
        [oauth, verifications, legacy, related].map((list) => list.length > 0);
      expect(sizes(first!)).toEqual([true, true, true, true]);
      expect(sizes(second!)).toEqual([false, false, false, false]);
      expect([first!.complete, second!.complete]).toEqual([false, true]);
    });

    it('never loads an index of 100 000 entries whole', { tags: ['long'] }, async () => {
      for (let from = 0; from < 100_000; from += 5000)
        await test.redis.sadd(
          'user_sessions:123',
          ...Array.from({ length: 5000 }, (_, i) => `${'x'.repeat(100)}${from + i}`),
        );
      const sent = async () =>
        Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
      const before = await sent();
      const page = await read({ userId: '123' }, large());
      expect(page).toMatchObject({ indexEntries: 100_000, staleIndex: 1000, cut: true });
      // The index is 11 MB.
      expect((await sent()) - before).toBeLessThan(300_000);
    });

    it.each(['x', '-1', 'u', 'u0:0', '99999999999999999999', '1:', '0~?', 'ux'])(
      'takes %j for no cursor',
      async (cursor) => {
        await expect(read({ userId: '123', cursor })).rejects.toMatchObject({ status: 400 });
      },
    );
  });

  it('lists the actions on this user, newest first, and none on users whose id has the same prefix', async () => {
    const { redis } = test;
    const call = (raw: object) => ({
      actor: testActor('support'),
      requestId: randomUUID(),
      connection: test.handle,
      raw,
    });
    for (const userId of ['4', '42']) {
      await seedSession(redis, { userId });
      await redis.set(`oauth_refresh:${userId}:vk`, 'x');
      await redis.hset(`verification:${userId}:email_change:Zq7pXv2mLr9tKw1`, 'user_id', userId);
    }
    const token = makeJwt({ user_id: 4 }, 'pasted');
    await runCommand(revokeSessions, call({ userId: '4', reason: 'lost phone' }));
    await runCommand(revokeSessions, call({ userId: '42', reason: 'other' }));
    await runCommand(revokeOauthTokens, call({ filter: { userId: '4' }, reason: 'leak' }));
    await runCommand(revokeVerificationTokens, call({ filter: { userId: '4' } }));
    await runCommand(revokeSessions, call({ filter: { username: token }, reason: 'no user' }));
    const { audit } = await read({ userId: '4' });
    expect(audit.map(({ action, target, reason, outcome }) => [action, target, reason, outcome])).toEqual([
      ['tokens.verification.revoke', 'user 4 (verification tokens)', null, 'succeeded'],
      ['tokens.oauth.revoke', 'user 4 (OAuth tokens)', 'leak', 'succeeded'],
      ['sessions.revoke', 'user 4 (all sessions)', 'lost phone', 'succeeded'],
    ]);
    expect(audit.every(({ actor }) => actor === 'support@example.org')).toBe(true);
    expect((await read({ userId: '42' })).audit).toMatchObject([{ reason: 'other' }]);
    expect((await read({ userId: '2' })).audit).toEqual([]);
    expectNoSecret(JSON.stringify(audit), [token]);
  });

  it('leads to the cache entries about the author they are', async () => {
    const { redis } = test;
    await redis.set('author:id:7', '{}');
    await redis.sadd('author:followers:7', '1');
    await redis.set('author:id:77', '{}');
    const { related } = await read({ userId: '7' });
    const lines = related.map(({ family, key, keyId, exists }) => [
      family,
      key,
      Buffer.from(keyId, 'base64url').toString(),
      exists,
    ]);
    expect(lines).toEqual([
      ['discours.author-id', 'author:id:7', 'author:id:7', true],
      ['discours.author-followers', 'author:followers:7', 'author:followers:7', true],
      ['discours.author-follows-topics', 'author:follows-topics:7', 'author:follows-topics:7', false],
      ['discours.author-follows-authors', 'author:follows-authors:7', 'author:follows-authors:7', false],
      ['discours.author-follows-shouts', 'author:follows-shouts:7', 'author:follows-shouts:7', false],
      ['discours.author-follows-communitys', ...Array(2).fill('author:follows-communitys:7'), false],
      ['discours.follows-author', 'follows:author:7', 'follows:author:7', false],
    ]);
    expect(related.every(({ title }) => title.length > 3)).toBe(true);
  });

  it('has tokens of every form, with their ages and TTLs', async () => {
    const { redis } = test;
    const now = Math.floor(Date.now() / 1000);
    await redis.set('oauth_access:5:google', 'bare-value-of-a-token', 'EX', 3000);
    await redis.set(
      'oauth_refresh:5:vk',
      JSON.stringify({ token: 'json-value-of-a-token', created_at: now - 700 }),
    );
    await redis.hset('verification:5:password_reset:Zq7pXv2mLr9tKw1', {
      user_id: '5',
      created_at: String(now - 100),
    });
    await redis.expire('verification:5:password_reset:Zq7pXv2mLr9tKw1', 200);
    const written = (user_id: unknown) => JSON.stringify({ user_id, token_type: 'email_change' });
    await redis.set('verification_token:Zq7pXv2mLr9tKw2', written(5), 'EX', 1800);
    await redis.set('verification_token:Zq7pXv2mLr9tKw3', written('5'), 'EX', 3600);
    await redis.set('verification_token:Zq7pXv2mLr9tKw4', written(55), 'EX', 1800);
    await redis.set('verification_token:Zq7pXv2mLr9tKw5', written([5]), 'EX', 1800);
    await redis.set('verification_token:Zq7pXv2mLr9tKw6', '{"user_id": 5', 'EX', 1800);
    const age = (at: string | null) =>
      at === null ? null : Math.round((Date.now() - Date.parse(at)) / 1000);
    for (const ctx of [test.ctx, large()]) {
      const { oauth, verifications } = await read({ userId: '5', complete: true }, ctx);
      expect(oauth.map((one) => [one.kind, one.provider, one.form, one.ttlSeconds, one.createdFrom])).toEqual(
        [
          ['access', 'google', 'bare', 3000, 'ttl'],
          ['refresh', 'vk', 'json', null, 'value'],
        ],
      );
      expect(age(oauth[0]!.createdAt)).toBeCloseTo(600, -1);
      expect(age(oauth[1]!.createdAt)).toBeCloseTo(700, -1);
      const lines = verifications
        .map((one) => [one.type, one.form, one.ttlSeconds, one.createdFrom])
        .sort(([, , a], [, , b]) => Number(a) - Number(b));
      expect(lines).toEqual([
        ['password_reset', 'hash', 200, 'value'],
        ['email_change', 'json', 1800, null],
        ['email_change', 'json', 3600, null],
      ]);
      expect(age(verifications.find(({ form }) => form === 'hash')!.createdAt)).toBeCloseTo(100, -1);
      expectNoSecret(JSON.stringify([oauth, verifications]), [
        'bare-value-of-a-token',
        'json-value-of-a-token',
        ...[1, 2, 3].map((i) => `Zq7pXv2mLr9tKw${i}`),
      ]);
    }
  });
});
