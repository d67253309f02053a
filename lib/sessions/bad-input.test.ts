import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { tokenContracts } from '@/lib/tokens/schema';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { makeJwt, seedSession } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { handleOf } from './keys';
import { revokeSessions } from './revocation/commands';
import { revocationContracts } from './revocation/schema';
import { readUsers } from './scan-users';
import { type Session, sessionContracts, userOfHandle } from './schema';
import { listSessions, searchSessions } from './search';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

describe('what is no user id', () => {
  const wrong = [
    '',
    ' ',
    '*',
    '[1]',
    '1*',
    '\\1',
    '1\n',
    '٣',
    '9'.repeat(20),
    'a:b',
    'a b',
    'a?',
    'a\\',
    '.',
    '..',
    '#a',
    'a\u202e',
    'a\u3164',
    'a\ud800',
    'x'.repeat(65),
    'я'.repeat(65),
    // What looks like a token is not to stand in addresses and in the audit log.
    'eyJhbGciOiJIUzI1NiJ9',
    '0123456789abcdef0123',
    '4f5b8e0c-9d7a-6b3e-2f1d-0c9d7a6b3e2f',
  ];

  it.each(wrong)('is refused everywhere: %j', (userId) => {
    const filter = { userId };
    for (const parsed of [
      sessionUserContracts.user.input.safeParse({ userId }),
      revocationContracts.revoke.input.safeParse({ userId }),
      revocationContracts.revoke.input.safeParse({ handles: [`${userId}.${'A'.repeat(22)}`] }),
      tokenContracts.oauthList.input.safeParse({ userId }),
      tokenContracts.verificationRevoke.input.safeParse({ filter }),
    ])
      expect(parsed.success).toBe(false);
  });

  it('is taken up to 19 digits, and as a word', () => {
    const words = [
      'abc',
      '1a',
      '-1',
      '1.5',
      '1e3',
      'health_check',
      'a.b.c',
      'a/b',
      '%2e',
      "o'brien",
      'проверка',
      '😀',
    ];
    for (const userId of ['0', '007', '9'.repeat(19), ...words, 'ab '.repeat(21).replaceAll(' ', '_')]) {
      expect(sessionUserContracts.user.input.parse({ userId }).userId).toBe(userId);
      const handles = [`${userId}.${'A'.repeat(22)}`];
      expect(revocationContracts.revoke.input.parse({ handles }).handles).toEqual(handles);
      expect(userOfHandle(handles[0]!)).toBe(userId);
    }
  });
});

describe.each(BOTH_WAYS)('hostile keys and values, %s', (_, redisArgs) => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'], role: 'support', redisArgs });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  /** As in a keyspace that is gone through by patterns. */
  const large = () => ({ ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } });

  const user = async (userId: string, ctx = test.ctx) =>
    sessionUserContracts.user.result.parse(
      await readUser(ctx, sessionUserContracts.user.input.parse({ userId, complete: true })),
    );

  const revoke = async (raw: object) => {
    const caller = { actor: testActor('support'), requestId: randomUUID(), connection: test.handle };
    const result = await runCommand(revokeSessions, { ...caller, raw });
    if ('jobId' in result) throw new Error('it became a job');
    return result;
  };

  const search = async (raw: object, on?: () => Promise<void>) => {
    const matches: Session[] = [];
    let pending: Promise<void> | undefined;
    await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
      send: (event, data) => {
        if (event === 'match') matches.push(data as Session);
        pending ??= on?.();
      },
      drained: async () => pending,
      signal: new AbortController().signal,
    });
    return matches;
  };

  const names = (found: readonly Session[]) => found.map(({ username }) => username).sort();
  const keys = async () => (await test.redis.keys('*')).sort();

  it.each(['4', '42', '4242', '12345678901', '123456789012', '1234567890123', '9'.repeat(19)])(
    'finds every form of user %s and of nobody whose id begins or ends alike',
    async (id) => {
      const { redis } = test;
      const seed = async (userId: string) => {
        const { token } = await seedSession(redis, { userId, indexed: false });
        await redis.set(`${userId}-a-b*[c]\\-${'0123456789abcdef'}`, '1');
        await redis.set(`${userId}-${userId}-${token}`, '1');
        await redis.hset(`verification:${userId}:password_reset:Zq7pXv2mLr9tKw1`, { user_id: userId });
        await redis.set(`verification_token:of${userId}`, `{"user_id":${JSON.stringify(userId)}}`);
      };
      for (const userId of new Set([id, `${id}0`.slice(0, 19), id.slice(1), `1${id}`.slice(0, 19), '77']))
        if (userId !== '') await seed(userId);
      for (const ctx of [test.ctx, large()]) {
        const { sessions, legacy, verifications } = await readUsers(ctx, new Set([id]));
        expect(sessions.map(({ userId }) => userId)).toEqual([id]);
        expect(legacy.map(({ userId }) => userId)).toEqual([id, id]);
        expect(verifications.map(({ userId, form }) => `${userId} ${form}`).sort()).toEqual([
          `${id} hash`,
          `${id} json`,
        ]);
      }
    },
  );

  it('shows times that no calendar has as none, wherever they come from', async () => {
    const { redis } = test;
    const inMilliseconds = makeJwt({ user_id: 5, iat: 1_700_000_000_000, exp: 1_700_000_000_000 });
    await seedSession(redis, { userId: '5', token: inMilliseconds, fields: { created_at: '999999999999' } });
    const endless = await seedSession(redis, { userId: '5' });
    await redis.pexpire(endless.key, 9_000_000_000_000_000);
    const { sessions } = await user('5');
    expect(sessions.map(({ createdAt }) => createdAt)).toContain(null);
    expect(sessions.find(({ jwt }) => jwt?.disagreements.length)?.jwt?.disagreements.join()).toContain(
      'after the year 9999',
    );
    expect(sessions.map(({ expiresAt }) => expiresAt)).toContain(null);
    expect(await search({ username: 'alice' })).toHaveLength(2);
    expect(await revoke({ filter: { username: 'alice' }, dryRun: true })).toMatchObject({ matched: 2 });
    expect(await revoke({ userId: '5' })).toMatchObject({ revoked: 2, remaining: 0 });
  });

  it('takes a run of digits that is no user id for no legacy session', async () => {
    await test.redis.set('20240101123045123456-backup-0123456789abcdef', '1');
    await test.redis.set(`oauth_refresh:${'9'.repeat(20)}:vk`, 'x');
    expect(await search({ state: 'legacy' })).toEqual([]);
    const list = sessionContracts.list.input.parse({ state: 'legacy' });
    expect(sessionContracts.list.result.parse(await listSessions(test.ctx, list)).items).toEqual([]);
  });

  it('ends by a filter what names no user', async () => {
    await test.redis.hset('session:a guest:0123456789abcdef', {
      username: 'guest',
      created_at: '1700000000',
    });
    expect(await search({ username: 'guest' })).toHaveLength(1);
    const counted = { matched: 1, remaining: 1, users: 0 };
    expect(await revoke({ filter: { username: 'guest' }, dryRun: true })).toMatchObject(counted);
    const ended = { matched: 1, revoked: 1, remaining: 0, users: 0 };
    expect(await revoke({ filter: { username: 'guest' } })).toMatchObject(ended);
    expect(await keys()).toEqual([]);
  });

  it('takes glob characters in names for themselves', async () => {
    const wild = ['*', '[', ']', '\\', '?', 'a*c', '[a-z]', '^', '%a', '.*'];
    for (const username of [...wild, 'abc']) await seedSession(test.redis, { userId: '5', username });
    const containing = (part: string) =>
      wild
        .concat('abc')
        .filter((name) => name.includes(part))
        .sort();
    for (const part of wild) expect(names(await search({ username: part }))).toEqual(containing(part));
    expect(names(await search({ username: 'a.c' }))).toEqual([]);
    const before = (await keys()).length;
    expect(await revoke({ filter: { username: '[a' } })).toMatchObject({
      matched: 1,
      revoked: 1,
      remaining: 0,
    });
    expect(await revoke({ filter: { username: '\\' } })).toMatchObject({ matched: 1, revoked: 1 });
    expect(await revoke({ filter: { username: '?' } })).toMatchObject({ matched: 1, revoked: 1 });
    expect((await keys()).length).toBe(before - 3);
  });

  it('takes glob characters in device and address for themselves', async () => {
    const seed = (user_agent: string, ip: string) =>
      seedSession(test.redis, { username: ip, fields: { device_info: JSON.stringify({ user_agent, ip }) } });
    await seed('Agent*[1]', '10.0.0.1');
    await seed('Agent\\2', '10.0.0.2');
    await seed('Agent "3"', '10.0.0.3');
    await seed('plain', '10.0.0.4');
    for (const [device, found] of [
      ['*', ['10.0.0.1']],
      ['[1', ['10.0.0.1']],
      ['\\', ['10.0.0.2']],
      ['t\\2', ['10.0.0.2']],
      ['"3"', ['10.0.0.3']],
      ['AGENT', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
      ['agent?', []],
    ] as const)
      expect([device, names(await search({ device }))]).toEqual([device, found]);
    expect(names(await search({ address: '10.0.0.[1]' }))).toEqual([]);
    expect(names(await search({ address: '10.?.0' }))).toEqual([]);
    expect(names(await search({ address: '0.0.4' }))).toEqual(['10.0.0.4']);
  });

  it('shows and ends sessions whose tokens are no UTF-8, indexed or not', async () => {
    const { redis } = test;
    const tokens = ['\xff\xfe\x00', '\xc3(', '*\x80', ':\xff'].map((text) => Buffer.from(text, 'latin1'));
    for (const [i, token] of tokens.entries()) {
      const key = Buffer.concat([Buffer.from('session:5:'), token]);
      await redis.hset(key, { user_id: '5', username: `odd${i}`, created_at: '1700000000' });
      if (i < 2) await redis.sadd('user_sessions:5', token);
    }
    for (const ctx of [test.ctx, large()]) {
      const found = await user('5', ctx);
      expect(names(found.sessions)).toEqual(['odd0', 'odd1', 'odd2', 'odd3']);
      expect(found.sessions.map(({ indexed, states }) => `${indexed} ${states}`).sort()).toEqual([
        'false malformed,unindexed,noTtl',
        'false malformed,unindexed,noTtl',
        'true malformed,noTtl',
        'true malformed,noTtl',
      ]);
      expect(found.sessions.map(({ handle }) => handle).sort()).toEqual(
        tokens.map((token) => handleOf('5', token)).sort(),
      );
      expect(found.sessions.map(({ jwt }) => jwt)).toEqual([null, null, null, null]);
      expect(found.sessions.filter(({ indexed }) => indexed)).toHaveLength(2);
    }
    const handles = tokens.slice(1, 3).map((token) => handleOf('5', token));
    expect(await revoke({ handles })).toMatchObject({ matched: 2, revoked: 2, alreadyGone: 0, remaining: 0 });
    expect(await redis.scard('user_sessions:5')).toBe(1);
    expect(await revoke({ userId: '5' })).toMatchObject({ matched: 2, revoked: 2, remaining: 0 });
    expect(await keys()).toEqual([]);
  });

  it('shows a session whose device_info is broken as malformed, without a device', async () => {
    const broken = [
      '{',
      '{"user_agent":',
      '[]',
      '"text"',
      '12',
      'nul',
      '{}}',
      '\xff',
      ' ',
      '{"a":'.repeat(900),
    ];
    for (const [i, device_info] of broken.entries())
      await seedSession(test.redis, {
        username: `broken${i}`,
        fields: { device_info: Buffer.from(device_info, 'latin1') },
      });
    for (const device_info of ['', 'null', '{}', `{"a":"${'x'.repeat(9000)}"}`])
      await seedSession(test.redis, { username: 'fine', fields: { device_info } });
    const { sessions } = await user('123');
    for (const { username, states, device } of sessions) {
      expect(device).toEqual({ label: null, userAgent: null, address: null });
      expect([username, states]).toEqual([username, username === 'fine' ? ['live'] : ['malformed']]);
    }
    expect(names(sessions)).toHaveLength(14);
    expect(names(await search({ state: 'malformed' }))).toHaveLength(10);
    expect(names(await search({ device: 'user_agent' }))).toEqual([]);
  });

  it('reports handles of others and of what just ended as already gone', async () => {
    const [mine, other, ended] = [
      await seedSession(test.redis, { userId: '5' }),
      await seedSession(test.redis, { userId: '6' }),
      await seedSession(test.redis, { userId: '5' }),
    ];
    const foreign = handleOf('5', Buffer.from(other.token));
    const gone = handleOf('5', Buffer.from(ended.token));
    await test.redis.del(ended.key);
    await test.redis.srem('user_sessions:5', ended.token);
    const handles = [handleOf('5', Buffer.from(mine.token)), foreign, gone];
    const counted = await revoke({ handles, dryRun: true });
    expect(counted).toMatchObject({ matched: 3, revoked: 0, alreadyGone: 2, remaining: 1 });
    expect(await revoke({ handles })).toMatchObject({ matched: 3, revoked: 1, alreadyGone: 2, remaining: 0 });
    expect(await revoke({ handles })).toMatchObject({ matched: 3, revoked: 0, alreadyGone: 3, remaining: 0 });
    expect(await keys()).toEqual([other.key, 'user_sessions:6']);
  });

  it('a session that appears during a search may be found, and all others are, each once', {
    tags: ['long'],
  }, async () => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 500; i++)
      pipeline.hset(`session:${i}:${makeJwt({ i })}`, { user_id: i, username: `user${i}` });
    await pipeline.exec();
    const found = await search({}, async () => {
      await test.redis.hset(`session:7:${makeJwt({}, 'late')}`, { user_id: 7, username: 'late' });
      await test.redis.del(`session:8:${makeJwt({ i: 8 })}`);
    });
    const expected = Array.from({ length: 500 }, (_, i) => `user${i}`).filter((name) => name !== 'user8');
    expect(names(found).filter((name) => name !== 'late' && name !== 'user8')).toEqual(expected.sort());
    expect(new Set(found.map(({ handle }) => handle)).size).toBe(found.length);
  });

  it('a session that appears during a revocation is ended, or reported as remaining', async () => {
    await seedSession(test.redis, { userId: '5' });
    let isFirst = true;
    const writer = {
      ...test.ctx.writer,
      run: async (...call: Parameters<typeof test.ctx.writer.run>) => {
        const reply = await test.ctx.writer.run(...call);
        if (isFirst) await seedSession(test.redis, { userId: '5', indexed: false, username: 'late' });
        isFirst = false;
        return reply;
      },
    };
    // In this keyspace the index is read before the scan, which then meets the new session.
    const met = await revokeSessions.run({ ...test.ctx, writer }, { userId: '5', dryRun: false });
    expect(met.result).toMatchObject({ matched: 2, revoked: 2, remaining: 0 });
    const handles = [handleOf('5', Buffer.from((await seedSession(test.redis, { userId: '5' })).token))];
    isFirst = true;
    const { result } = await revokeSessions.run({ ...test.ctx, writer }, { handles, dryRun: false });
    expect(result).toMatchObject({
      matched: 1,
      revoked: 1,
      remaining: 0,
      stillValid: [
        { kind: 'session', userId: '5', count: 1 },
        { kind: 'jwt', userId: '5', count: 1 },
      ],
    });
  });

  it('loads nothing large: 10 000 fields, 1 MB of auth_data, a name and a device of 1 MB', {
    tags: ['long'],
  }, async () => {
    const big = 'x'.repeat(1_000_000);
    const { key, token } = await seedSession(test.redis, { userId: '5', fields: { auth_data: big } });
    const fields = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`field${i}`, 'y'.repeat(100)]),
    );
    await test.redis.hset(key, fields);
    await seedSession(test.redis, { userId: '5', username: big, fields: { device_info: `{"a":"${big}"}` } });
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
    const before = await sent();
    const { sessions } = await user('5');
    expect(names(sessions)).toEqual(['alice', null]);
    expect(sessions.map(({ states }) => states)).toEqual([['live'], ['live']]);
    const input = sessionContracts.list.input.parse({ device: 'x' });
    expect((await listSessions(test.ctx, input)).items).toEqual([]);
    expect(await search({ username: 'xxx', idleLongerThanSeconds: 1 })).toEqual([]);
    expect(await search({ idleLongerThanSeconds: 1 })).toHaveLength(2);
    const handles = [handleOf('5', Buffer.from(token))];
    expect(await revoke({ handles })).toMatchObject({ matched: 1, revoked: 1, remaining: 0 });
    expect(await revoke({ userId: '5' })).toMatchObject({ matched: 1, revoked: 1, remaining: 0 });
    expect((await sent()) - before).toBeLessThan(60_000);
  });
});
