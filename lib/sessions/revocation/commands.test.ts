import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { expectNoSecret, makeJwt, type SeededSession, seedSession } from '@/scripts/testing/sessions';
import { handleOf } from '../keys';
import { revokeSessions } from './commands';
import { revoke as endAll } from './revoke';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const revoke = async (raw: object, handle = test.handle) => {
  const result = await runCommand(revokeSessions, {
    actor: testActor('support'),
    requestId: randomUUID(),
    connection: handle,
    raw: { reason: 'lost phone', ...raw },
  });
  if ('jobId' in result) throw new Error('it became a job');
  return result;
};

const handle = ({ userId, token }: SeededSession) => handleOf(userId, Buffer.from(token));
const keys = async () => (await test.redis.keys('*')).sort();
const gone = { matched: 1, revoked: 1, alreadyGone: 0, remaining: 0 };

describe('by handle', () => {
  it('revokes the hash, the index entry and the legacy key together, and nothing else', async () => {
    const { redis } = test;
    const one = await seedSession(redis);
    const other = await seedSession(redis);
    await redis.set(`123-alice-${one.token}`, '1');
    await redis.set(`123-alice-${other.token}`, '1', 'EX', 50);
    await redis.set('oauth_refresh:123:vk', 'x', 'EX', 70);
    const result = await revoke({ handles: [handle(one)] });
    expect(result).toMatchObject({ ...gone, alsoRevoked: { oauth: 0, verification: 0 }, dryRun: false });
    expect(result.undoUntil).toBeUndefined();
    const [session, legacy, refresh, jwt] = result.stillValid;
    expect(session).toMatchObject({ kind: 'session', userId: '123', count: 1, ttlSeconds: 30 * 86_400 });
    expect(legacy).toMatchObject({ kind: 'legacySession', count: 1, ttlSeconds: 50 });
    expect(refresh).toEqual({
      kind: 'oauthRefresh',
      userId: '123',
      provider: 'vk',
      count: 1,
      ttlSeconds: 70,
    });
    expect(jwt).toMatchObject({ kind: 'jwt', count: 1 });
    expect(jwt?.ttlSeconds).toBeGreaterThan(29 * 86_400);
    expect(await keys()).toEqual(
      [other.key, `123-alice-${other.token}`, 'oauth_refresh:123:vk', 'user_sessions:123'].sort(),
    );
    expect(await redis.smembers('user_sessions:123')).toEqual([other.token]);
  });

  it('counts what is already gone, unknown or another user’s, and names no error', async () => {
    const one = await seedSession(test.redis);
    const stale = await seedSession(test.redis);
    await test.redis.del(stale.key);
    const foreign = handleOf('124', Buffer.from(one.token));
    const unknown = `123.${'A'.repeat(22)}`;
    const handles = [handle(one), handle(one), handle(stale), foreign, unknown];
    const result = await revoke({ handles });
    expect(result).toMatchObject({ matched: 4, revoked: 1, alreadyGone: 3, remaining: 0 });
    expect(await keys()).toEqual([]);
    expect(await revoke({ handles: [handle(one)] })).toMatchObject({
      matched: 1,
      revoked: 0,
      alreadyGone: 1,
    });
  });

  it('finds a session no index knows, one with a broken key, and a ghost', async () => {
    const one = await seedSession(test.redis, { indexed: false, username: 'a-b' });
    await test.redis.set(`123-a-b-${one.token}`, '1');
    const token = Buffer.from('\xff\xfe', 'latin1');
    await test.redis.set(Buffer.concat([Buffer.from('session:123:'), token]), 'no hash');
    const ghost = makeJwt({}, 'ghost');
    await test.redis.hset(`session:123:${ghost}`, 'last_activity', '1');
    const handles = [handle(one), handleOf('123', token), handleOf('123', Buffer.from(ghost))];
    expect(await revoke({ handles })).toMatchObject({ matched: 3, revoked: 3, remaining: 0 });
    expect(await keys()).toEqual([]);
  });

  it('in a large keyspace looks in the index first, then by a scan', async () => {
    const one = await seedSession(test.redis);
    const two = await seedSession(test.redis, { indexed: false });
    await test.redis.set(`123-alice-${one.token}`, '1');
    const ctx = { ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } };
    const found = await endAll(ctx, { handles: [handle(one), handle(two)] });
    expect(found.result).toMatchObject({ matched: 2, revoked: 2, remaining: 0 });
    expect(await keys()).toEqual([]);
  });

  it('ends the session even when the index is of the wrong type', async () => {
    const one = await seedSession(test.redis, { indexed: false });
    await test.redis.set('user_sessions:123', 'x');
    expect(await revoke({ handles: [handle(one)] })).toMatchObject(gone);
    expect(await keys()).toEqual(['user_sessions:123']);
  });

  it('ends a legacy key although the index knows its token, and one of a session without a name', async () => {
    const { redis } = test;
    const [stale, ghost, live] = ['stale', 'ghost', 'live'].map((salt) => makeJwt({ user_id: 123 }, salt));
    await redis.sadd('user_sessions:123', stale!, ghost!);
    await redis.hset(`session:123:${ghost}`, 'last_activity', '1');
    for (const token of [stale, ghost, live]) await redis.set(`123-former-name-${token}`, '1');
    const large = { ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } };
    const handles = [stale!, ghost!, live!].map((token) => handleOf('123', Buffer.from(token)));
    expect(await revoke({ handles, dryRun: true })).toMatchObject({
      matched: 3,
      alreadyGone: 0,
      remaining: 3,
    });
    const { result } = await endAll(large, { handles });
    expect(result).toMatchObject({ matched: 3, revoked: 3, alreadyGone: 0, remaining: 0 });
    expect(await keys()).toEqual([]);
  });

  it('does not call valid in a dry run what a filter ends: the legacy key of a ghost', async () => {
    const ghost = makeJwt({ user_id: 123, exp: 1 }, 'ghost');
    await test.redis.hset(`session:123:${ghost}`, 'last_activity', '1');
    await test.redis.set(`123-former-name-${ghost}`, '1');
    const counted = await revoke({ filter: { state: 'ghost' }, dryRun: true });
    expect(counted).toMatchObject({ matched: 1, remaining: 1, stillValid: [] });
    expect(await revoke({ filter: { state: 'ghost' } })).toMatchObject({ revoked: 1, remaining: 0 });
    expect(await keys()).toEqual([]);
  });

  it('tells of signatures that hold for ever, and of those whose session was gone before', async () => {
    const token = makeJwt({ user_id: 123 });
    await test.redis.sadd('user_sessions:123', token);
    const result = await revoke({ handles: [handleOf('123', Buffer.from(token))] });
    expect(result).toMatchObject({ revoked: 0, alreadyGone: 1, stillValidComplete: true });
    expect(result.stillValid).toEqual([{ kind: 'jwt', userId: '123', count: 1, ttlSeconds: null }]);
    const expired = await seedSession(test.redis, { createdAt: 1_600_000_000 });
    expect((await revoke({ handles: [handle(expired)] })).stillValid).toEqual([]);
  });

  it('says that a large keyspace was not searched for what else is valid', async () => {
    const one = await seedSession(test.redis);
    await seedSession(test.redis, { indexed: false });
    const large = { ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } };
    const { result } = await endAll(large, { handles: [handle(one)] });
    expect(result.stillValidComplete).toBe(false);
    expect((await endAll(large, { userId: '123' })).result.stillValidComplete).toBe(true);
  });

  it('ends the other tokens of everybody named, however many', async () => {
    const seeds: SeededSession[] = [];
    for (let i = 0; i < 130; i++) {
      seeds.push(await seedSession(test.redis, { userId: String(1000 + i) }));
      await test.redis.set(`oauth_refresh:${1000 + i}:vk`, 'x');
    }
    for (const { key } of seeds.slice(5)) await test.redis.del(key);
    const result = await revoke({ handles: seeds.map(handle), also: ['oauth'] });
    expect(result).toMatchObject({ revoked: 5, alsoRevoked: { oauth: 130 }, stillValidCut: true });
  });

  it('reaches sessions of several users at once', async () => {
    const seeds: SeededSession[] = [];
    for (let i = 0; i < 120; i++) seeds.push(await seedSession(test.redis, { userId: String(i % 40) }));
    const result = await revoke({ handles: seeds.slice(0, 119).map(handle) });
    expect(result).toMatchObject({ matched: 119, revoked: 119, remaining: 0 });
    expect(result.stillValid.filter(({ kind }) => kind === 'session')).toMatchObject([
      { userId: '39', count: 1 },
    ]);
  });
});

describe('by user', () => {
  const seedUser = async () => {
    const { redis } = test;
    const sessions = [
      await seedSession(redis),
      await seedSession(redis, { ttl: null }),
      await seedSession(redis, { indexed: false }),
    ];
    const [first] = sessions as [SeededSession];
    await redis.hset(`session:123:${makeJwt({}, 'ghost')}`, 'last_activity', '1');
    await redis.set(`123-alice-${first.token}`, '1');
    await redis.set('123-old-name-0123456789abcdef', '1');
    await redis.sadd('user_sessions:123', makeJwt({}, 'stale'));
    await redis.set('oauth_access:123:google', 'x', 'EX', 60);
    await redis.set('oauth_refresh:123:google', 'x');
    await redis.hset('verification:123:email_change:tok1', 'user_id', '123');
    await redis.set('verification_token:tok2', JSON.stringify({ user_id: 123 }), 'EX', 90);
    const others = [await seedSession(redis, { userId: '1234' }), await seedSession(redis, { userId: '12' })];
    await redis.set('1234-alice-0123456789abcdef', '1');
    await redis.set('verification_token:tok3', JSON.stringify({ user_id: 1234 }));
    const left = [...others.map(({ key }) => key), '1234-alice-0123456789abcdef', 'verification_token:tok3'];
    return { sessions, left: [...left, 'user_sessions:12', 'user_sessions:1234'] };
  };

  it('ends everything the user is signed in by, known to the index or not', async () => {
    const { left } = await seedUser();
    const result = await revoke({ userId: '123' });
    // Three sessions, a ghost, and a separate legacy key; the other one is revoked with its session.
    expect(result).toMatchObject({ matched: 5, revoked: 5, alreadyGone: 0, remaining: 0 });
    expect(result.stillValid.map(({ kind, count, ttlSeconds }) => [kind, count, ttlSeconds])).toEqual([
      ['oauthAccess', 1, 60],
      ['oauthRefresh', 1, null],
      ['verification', 2, null],
      // Three sessions' own; the ghost's and the stale entry's name no end.
      ['jwt', 5, null],
    ]);
    const tokens = [
      'oauth_access:123:google',
      'oauth_refresh:123:google',
      'verification:123:email_change:tok1',
      'verification_token:tok2',
    ];
    expect(await keys()).toEqual([...left, ...tokens].sort());
    expect(await revoke({ userId: '123' })).toMatchObject({ matched: 0, revoked: 0, alreadyGone: 0 });
  });

  it('ends the other tokens too when asked', async () => {
    const { left } = await seedUser();
    const result = await revoke({ userId: '123', also: ['oauth', 'verification'] });
    expect(result).toMatchObject({ revoked: 5, remaining: 0, alsoRevoked: { oauth: 2, verification: 2 } });
    expect(result.stillValid.map(({ kind }) => kind)).toEqual(['jwt']);
    expect(await keys()).toEqual(left.sort());
  });

  it('tells a session that comes back during the act as remaining', async () => {
    const { key } = await seedSession(test.redis);
    const writer = {
      ...test.ctx.writer,
      run: async (...call: Parameters<typeof test.ctx.writer.run>) => {
        const reply = await test.ctx.writer.run(...call);
        await test.redis.hset(key, 'last_activity', '1');
        return reply;
      },
    };
    const { result } = await revokeSessions.run({ ...test.ctx, writer }, { userId: '123', dryRun: false });
    expect(result).toMatchObject({ matched: 1, revoked: 1, remaining: 1 });
  });

  it('counts in a dry run and changes nothing', async () => {
    await seedUser();
    const before = await keys();
    const result = await revoke({ userId: '123', dryRun: true, also: ['oauth'] });
    expect(result).toMatchObject({ matched: 5, revoked: 0, alreadyGone: 0, remaining: 5, dryRun: true });
    expect(result.auditId).toBeNull();
    expect(result.stillValid.map(({ kind }) => kind)).toEqual(['verification', 'jwt']);
    expect(await keys()).toEqual(before);
    expect((await listEntries(test.ctx.store)).items).toEqual([]);
  });

  it('removes an index of 20 000 stale entries', { tags: 'long' }, async () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => `stale-${i}`);
    for (let from = 0; from < entries.length; from += 5000)
      await test.redis.sadd('user_sessions:123', ...entries.slice(from, from + 5000));
    const { result } = await endAll(test.ctx, { userId: '123' });
    expect(result).toMatchObject({ matched: 0, revoked: 0, remaining: 0 });
    expect(await keys()).toEqual([]);
  });
});

it.each([
  { userId: '1*' },
  { userId: 'a b' },
  { userId: '' },
  { handles: ['123.short'] },
  { handles: [] },
  { handles: [`*.${'A'.repeat(22)}`] },
  {},
  { userId: '1', handles: [`1.${'A'.repeat(22)}`] },
  { userId: '1', token: 'x' },
])('refuses %j with 400', async (raw) => {
  await expect(revoke(raw)).rejects.toMatchObject({ status: 400 });
});

it('records who, what and why, and nowhere a piece of a token', async () => {
  const seeds = [await seedSession(test.redis), await seedSession(test.redis), await seedSession(test.redis)];
  const tokens = seeds.map(({ token }) => token);
  const answers: unknown[] = [await revoke({ handles: seeds.slice(0, 2).map(handle) })];
  answers.push(await revoke({ userId: '123' }));
  const stopped = { ...test.ctx.writer, run: () => Promise.reject(new Error('stopped')) };
  await seedSession(test.redis, { token: tokens[0] });
  answers.push(
    await revokeSessions
      .run({ ...test.ctx, writer: stopped }, { userId: '123', dryRun: false })
      .catch((error: Error) => ({ ...error, message: error.message, stack: error.stack })),
  );
  const { items } = await listEntries(test.ctx.store);
  expect(items).toMatchObject([
    { target: 'user 123 (all sessions)', reason: 'lost phone', outcome: 'succeeded', undoUntil: null },
    { target: 'user 123 (2 sessions)', actor: 'support@example.org', action: 'sessions.revoke' },
  ]);
  const stored = await test.storeRedis.xrange('keyward:audit', '-', '+');
  expectNoSecret(JSON.stringify([answers, items, stored]), tokens);
});

it('asks for the typed confirmation on production where it reaches more than one session', async () => {
  const production = {
    ...test.handle,
    config: { ...test.handle.config, environment: 'production' as const },
  };
  const [one, two] = [await seedSession(test.redis), await seedSession(test.redis)];
  const refused = { code: 'confirmation_required' };
  await expect(revoke({ userId: '123' }, production)).rejects.toMatchObject(refused);
  await expect(revoke({ handles: [one, two].map(handle) }, production)).rejects.toMatchObject(refused);
  expect(await revoke({ userId: '123', confirm: 'main' }, production)).toMatchObject({ revoked: 2 });
});
