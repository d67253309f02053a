import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WriteContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { type Family, type FamilyDefinition, family } from '@/lib/keyspace/family';
import { text, token } from '@/lib/keyspace/grammar';
import { createRegistry } from '@/lib/keyspace/registry';
import { listOauthStates, listOauthTokens, listVerificationTokens } from '@/lib/tokens/reads';
import { tokenContracts } from '@/lib/tokens/schema';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { expectNoSecret } from '@/scripts/testing/sessions';
import { handleOf } from './keys';
import { repair } from './repair/repair';
import { REPAIRS } from './repair/schema';
import { revokeSessions } from './revocation/commands';
import { revoke } from './revocation/revoke';
import { type Session, sessionContracts } from './schema';
import { listSessions, searchSessions } from './search';
import { readStats } from './stats';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

const SHOP = join(process.cwd(), 'e2e/catalogs/shop.yaml');
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: [], catalogs: [SHOP], role: 'support' });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const newId = (): string => randomBytes(24).toString('base64url');

interface Seed {
  id?: string;
  /** Null: the value names none. */
  user?: string | number | null;
  indexOf?: string | null;
  seenAt?: number;
  device?: object;
  name?: string;
}

const seed = async ({ id = newId(), user = 'anna', device, ...rest }: Seed = {}): Promise<string> => {
  const { indexOf = user === null ? null : String(user), seenAt = Date.now(), name = 'Anna Berg' } = rest;
  const value = {
    ...(user === null ? {} : { user: { id: user, name } }),
    createdAt: new Date(seenAt - 60_000).toISOString(),
    seenAt,
    device: device ?? { user_agent: AGENT, ip: '192.0.2.7' },
    csrf: newId(),
  };
  await test.redis.set(`sess:${id}`, JSON.stringify(value), 'EX', 3600);
  if (indexOf !== null) await test.redis.sadd(`user_sess:${indexOf}`, id);
  return id;
};

const handle = (id: string, user = 'anna'): string => handleOf(user, Buffer.from(id));

const list = async (raw: object = {}, ctx = test.ctx): Promise<Session[]> => {
  const sessions: Session[] = [];
  let cursor: string | null | undefined;
  do {
    const input = sessionContracts.list.input.parse({ ...raw, ...(cursor ? { cursor } : {}) });
    const page = sessionContracts.list.result.parse(await listSessions(ctx, input));
    sessions.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return sessions;
};

const search = async (raw: object): Promise<Session[]> => {
  const found: Session[] = [];
  await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
    send: (event, data) => event === 'match' && found.push(data as Session),
    drained: async () => undefined,
    signal: new AbortController().signal,
  });
  return found;
};

const userPage = async (userId: string, ctx = test.ctx) =>
  sessionUserContracts.user.result.parse(
    await readUser(ctx, sessionUserContracts.user.input.parse({ userId, complete: true })),
  );

const revokeBy = async (raw: object) => {
  const caller = { actor: testActor('support'), requestId: randomUUID(), connection: test.handle };
  const result = await runCommand(revokeSessions, { ...caller, raw });
  if ('jobId' in result) throw new Error('it became a job');
  return result;
};

const repairAll = (ctx: WriteContext = test.ctx, dryRun = false) =>
  repair(ctx, { kinds: REPAIRS, dryRun }, { before: async () => undefined });

const exists = (id: string): Promise<number> => test.redis.exists(`sess:${id}`);

/** Every kind of damage beside two good sessions of anna and one of bert. */
const seedDamage = async () => {
  const [first, second, bert] = [await seed(), await seed(), await seed({ user: 'bert', name: 'Bert' })];
  const unindexed = await seed({ indexOf: null });
  const ghost = await seed({ user: null, indexOf: 'anna' });
  const [broken, deep, large, hash, array] = [newId(), newId(), newId(), newId(), newId()];
  await test.redis.set(`sess:${broken}`, '{"user":{"id":"anna"', 'EX', 60);
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  await test.redis.set(`sess:${deep}`, `{"user":{"id":"anna"},"seenAt":1,"more":${nested}}`, 'EX', 60);
  await test.redis.set(
    `sess:${large}`,
    JSON.stringify({ user: { id: 'anna' }, more: 'x'.repeat(20_000) }),
    'EX',
    60,
  );
  await test.redis.hset(`sess:${hash}`, 'user', 'anna');
  await test.redis.set(`sess:${array}`, '[1]', 'EX', 60);
  // Entries of anna's index: of no session, of bert's, and of a key that is no session's.
  await test.redis.sadd('user_sess:anna', 'gone-session-id', bert);
  return { first, second, bert, unindexed, ghost, broken, deep, large, hash, array };
};

describe('an application of ten lines', () => {
  it('has its sessions listed, with their facts and without their ids', async () => {
    const seenAt = Date.now() - 5000;
    const ids = [await seed({ seenAt }), await seed({ user: 7, name: 'Seven' })];
    const sessions = await list();
    expect(sessions).toHaveLength(2);
    expect(sessions.find(({ userId }) => userId === 'anna')).toMatchObject({
      handle: handle(ids[0]!),
      username: 'Anna Berg',
      createdAt: new Date(seenAt - 60_000).toISOString(),
      lastActivity: new Date(seenAt).toISOString(),
      ttlSeconds: 3600,
      device: { label: 'Firefox 143 · Linux', userAgent: AGENT, address: '192.0.2.7' },
      indexed: true,
      states: ['live'],
      jwt: null,
    });
    expect(sessions.find(({ userId }) => userId === '7')).toMatchObject({
      username: 'Seven',
      states: ['live'],
    });
    expectNoSecret(JSON.stringify(sessions), ids);
  });

  it('may have UUIDs and ObjectIds as users, and no other text that looks like a token', async () => {
    const uuid = '0192d3a4-5b6c-7d8e-9f01-23456789abcd';
    const objectId = '507f1f77bcf86cd799439011';
    for (const user of [uuid, objectId]) {
      await seed({ user });
      expect((await userPage(user)).sessions).toMatchObject([{ userId: user, states: ['live'] }]);
    }
    await seed({ user: '4f5b8e0c9d7a6b3e2f1d' });
    expect(await list({ state: 'malformed' })).toMatchObject([{ userId: null, handle: null }]);
    expect(await revokeBy({ userId: uuid })).toMatchObject({ revoked: 1, remaining: 0 });
    expect(await test.redis.exists(`user_sess:${uuid}`)).toBe(0);
  });

  it('is searched by every filter', async () => {
    await seed({ name: 'Øystein', user: 'oystein', seenAt: Date.now() - 86_400_000 });
    await seed({ device: { user_agent: 'curl/8.5', ip: '198.51.100.9' }, user: 'curl' });
    await seed({ indexOf: null, user: 'lost' });
    const usersOf = async (raw: object) => (await search(raw)).map(({ userId }) => userId);
    expect(await usersOf({ username: 'øyst' })).toEqual(['oystein']);
    expect(await usersOf({ device: 'CURL' })).toEqual(['curl']);
    expect(await usersOf({ address: '198.51.100' })).toEqual(['curl']);
    expect(await usersOf({ state: 'unindexed' })).toEqual(['lost']);
    expect(await usersOf({ idleLongerThanSeconds: 3600 })).toEqual(['oystein']);
    expect((await usersOf({ state: 'live' })).sort()).toEqual(['curl', 'oystein']);
    expect(await usersOf({ state: 'legacy' })).toEqual([]);
  });

  it('is counted by state, whatever stands under its names', async () => {
    await seedDamage();
    await seed({ user: 'carl' });
    const stats = await readStats(test.ctx);
    expect(stats).toMatchObject({
      sessions: 11,
      users: 3,
      byState: { live: 4, unindexed: 7, ghost: 1, malformed: 4, staleIndex: 2, legacy: 0, noTtl: 1 },
      oauth: [],
      verifications: [],
      oauthStates: 0,
    });
    expect((await list({ state: 'malformed' })).map(({ handle: named }) => named)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect((await search({ state: 'staleIndex' })).map(({ userId }) => userId)).toEqual(['anna', 'anna']);
  });

  it('has a page of each user, with caches that the catalog relates to users', async () => {
    const { ghost } = await seedDamage();
    await test.redis.hset('cart:anna', 'product', 1);
    const anna = await userPage('anna');
    // Two, the unindexed, the deeply nested one, and what the index names although its value names nobody.
    expect(anna.sessions).toHaveLength(5);
    expect(anna.sessions.find((one) => one.handle === handle(ghost))?.states).toEqual(['ghost']);
    expect(anna).toMatchObject({
      username: 'Anna Berg',
      indexEntries: 5,
      staleIndex: 2,
      complete: true,
      oauth: [],
      legacy: [],
      related: [{ family: 'shop.cart', key: 'cart:anna', exists: true }],
    });
    expect((await userPage('bert')).sessions).toHaveLength(1);
  });

  it('has only lists that are empty of what it does not have', async () => {
    await seed();
    const { oauthList, verificationList, stateList } = tokenContracts;
    const none = { items: [], nextCursor: null, examined: 0 };
    expect(await listOauthTokens(test.ctx, oauthList.input.parse({}))).toMatchObject(none);
    expect(await listOauthTokens(test.ctx, oauthList.input.parse({ userId: 'anna' }))).toMatchObject(none);
    expect(await listVerificationTokens(test.ctx, verificationList.input.parse({}))).toMatchObject(none);
    expect(await listOauthStates(test.ctx, stateList.input.parse({}))).toMatchObject(none);
    const cold = { ...test.ctx, catalog: createRegistry([]) };
    await expect(list({}, cold)).rejects.toThrow(Problem);
    await expect(listOauthStates(cold, stateList.input.parse({}))).rejects.toThrow(Problem);
  });
});

describe('a revocation', () => {
  it('by handle ends that session and its entry, indexed or not, and proves it', async () => {
    const { first, second, unindexed } = await seedDamage();
    const result = await revokeBy({ handles: [handle(first), handle(unindexed), handle('never-existed')] });
    expect(result).toMatchObject({ matched: 3, revoked: 2, alreadyGone: 1, remaining: 0, users: 1 });
    // One value is too long to be read, and might be anna's.
    expect(result).toMatchObject({ stillValidComplete: false });
    // The other one, the deeply nested one, and the ghost that anna's index names.
    expect(result).toMatchObject({ stillValid: [{ kind: 'session', userId: 'anna', count: 3 }] });
    expect([await exists(first), await exists(unindexed), await exists(second)]).toEqual([0, 0, 1]);
    expect(await test.redis.sismember('user_sess:anna', first)).toBe(0);
    expectNoSecret(JSON.stringify(result), [first, second, unindexed]);
  });

  it('by user ends all that is theirs, and nobody else’s', async () => {
    const { bert, deep, ghost, large } = await seedDamage();
    const preview = await revokeSessions.preview!(test.ctx, { userId: 'anna', dryRun: true });
    expect(preview).toMatchObject({ matched: 5, revoked: 0, remaining: 5, stillValid: [] });
    const result = await revokeBy({ userId: 'anna' });
    expect(result).toMatchObject({
      matched: 5,
      revoked: 5,
      remaining: 0,
      stillValid: [],
      stillValidComplete: false,
    });
    expect([await exists(deep), await exists(ghost), await exists(bert)]).toEqual([0, 0, 1]);
    // It is too long to be read, so nobody knows that it is anna's: `stillValidComplete` is false for that.
    expect(await exists(large)).toBe(1);
    expect(await test.redis.exists('user_sess:anna')).toBe(0);
    expect(await test.redis.smembers('user_sess:bert')).toEqual([bert]);
  });

  it('by filter ends what a search lists, readable or not', async () => {
    const { broken, deep, large, hash, array, first } = await seedDamage();
    const result = await revokeBy({ filter: { state: 'malformed' } });
    expect(result).toMatchObject({ matched: 4, revoked: 4, remaining: 0 });
    for (const id of [broken, large, hash, array]) expect(await exists(id)).toBe(0);
    for (const id of [first, deep]) expect(await exists(id)).toBe(1);
    expect(await revokeBy({ filter: { username: 'anna' } })).toMatchObject({ revoked: 3, remaining: 0 });
  });

  it('does not end a session that becomes another user’s before it is deleted', async () => {
    const id = await seed();
    const { writer } = test.ctx;
    const late: WriteContext = {
      ...test.ctx,
      writer: {
        ...writer,
        run: async (...call) => {
          await seed({ id, user: 'bert' });
          return writer.run(...call);
        },
      },
    };
    const { result } = await revoke(late, { userId: 'anna' });
    expect(result).toMatchObject({ matched: 1, revoked: 0, remaining: 0, stillValid: [] });
    expect(await exists(id)).toBe(1);
    // It is no longer anna's, so her index does not name it.
    expect(await test.redis.sismember('user_sess:anna', id)).toBe(0);
    expect(await test.redis.sismember('user_sess:bert', id)).toBe(1);
  });

  it('ends sessions whose JSON the script would read differently', async () => {
    const half = await seed({ name: 'cut \ud83d' });
    expect(await test.redis.get(`sess:${half}`)).toContain('\\ud83d');
    const zero = newId();
    await test.redis.set(`sess:${zero}`, '{"user":{"id":-0}}', 'EX', 60);
    expect(await revokeBy({ userId: 'anna' })).toMatchObject({ revoked: 1, remaining: 0, stillValid: [] });
    expect(await revokeBy({ userId: '0' })).toMatchObject({ revoked: 1, alreadyGone: 0, remaining: 0 });
    const listed = define('way.session', {
      pattern: 's:{id}',
      params: { id: token },
      type: 'string',
      role: 'session',
      parts: { token: { param: 'id' }, userId: { field: 'users.0.id' } },
    });
    await test.redis.set('s:of-a-list', '{"users":[{"id":"anna"}]}', 'EX', 60);
    const ctx: WriteContext = { ...test.ctx, catalog: createRegistry([listed]) };
    expect((await revoke(ctx, { userId: 'anna' })).result).toMatchObject({ revoked: 1, remaining: 0 });
  });

  it('says that a value which changed while it could not be read is still there', async () => {
    const id = newId();
    await test.redis.set(`sess:${id}`, '{"user":');
    const { writer } = test.ctx;
    const late: WriteContext = {
      ...test.ctx,
      writer: {
        ...writer,
        run: async (...call) => {
          await test.redis.set(`sess:${id}`, '{"user": ');
          return writer.run(...call);
        },
      },
    };
    const { result } = await revoke(late, { filter: { state: 'malformed' } });
    expect(result).toMatchObject({ matched: 1, revoked: 0, alreadyGone: 0, remaining: 1 });
  });

  it('never touches what an entry of an index names beside sessions', async () => {
    await test.redis.sadd('user_sess:anna', 'user:1', '../cart:anna', '');
    await test.redis.hset('cart:anna', 'product', 1);
    await revokeBy({ userId: 'anna' });
    expect(await test.redis.exists('cart:anna')).toBe(1);
  });
});

describe('a repair', () => {
  it('removes stale entries and ghosts, indexes sessions, and gives a TTL', async () => {
    const { bert, ghost, unindexed, first } = await seedDamage();
    const forever = await seed();
    await test.redis.persist(`sess:${forever}`);
    expect(await repairAll(test.ctx, true)).toMatchObject({
      before: { staleIndex: 2, unindexed: 2, ghost: 1, legacy: 0, noTtl: 1 },
    });
    const result = await repairAll();
    expect(result).toMatchObject({
      repaired: { unindexed: 2, ghost: 1, legacy: 0, noTtl: 1 },
      ended: 0,
    });
    // No value tells whose index has the entry of a ghost, so it may become stale behind the scan.
    const second = await repairAll();
    expect(result.repaired.staleIndex! + second.repaired.staleIndex!).toBe(3);
    expect(second.remaining).toBe(0);
    expect(await exists(ghost)).toBe(0);
    expect(await test.redis.sismember('user_sess:anna', unindexed)).toBe(1);
    expect(await test.redis.sismember('user_sess:anna', bert)).toBe(0);
    expect(await test.redis.sismember('user_sess:anna', first)).toBe(1);
    const ttl = await test.redis.ttl(`sess:${forever}`);
    expect(ttl > 86_000 && ttl < 86_400).toBe(true);
  });
});

it('knows which look-ups of the server were its own', { tags: ['long'] }, async () => {
  const counters = async (): Promise<number[]> => {
    const info = await test.redis.info('stats');
    return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
  };
  await seedDamage();
  const [before, own] = [await counters(), test.handle.own.snapshot()];
  await readStats(test.ctx);
  await search({ username: 'anna', state: 'live' });
  await search({ state: 'staleIndex' });
  await userPage('anna');
  await repairAll();
  await revokeBy({ userId: 'anna' });
  await revokeBy({ filter: { state: 'malformed' } });
  const [after, now] = [await counters(), test.handle.own.snapshot()];
  expect(after.map((count, i) => count - before[i]!)).toEqual([now.hits - own.hits, now.misses - own.misses]);
});

const any = text('any', ':/|', 'text without separators');

const define = (id: string, definition: Omit<FamilyDefinition, 'id' | 'ttl' | 'title' | 'purpose'>): Family =>
  family({ id, ttl: { seconds: 3600 }, title: id, purpose: id, ...definition });

const sessionParts = { token: { param: 'id' }, username: { field: 'name' }, lastActivity: { field: 'seen' } };

/** Other ways to store sessions: each seeds a session of a user, in its index where there is one. */
const WAYS: [string, Family[], (user: string, id: string) => Promise<unknown>][] = [
  [
    'hashes named by their id, with a sorted set of keys',
    [
      define('way.session', {
        pattern: 's:{id}',
        params: { id: token },
        type: 'hash',
        role: 'session',
        parts: { ...sessionParts, userId: { field: 'uid' } },
      }),
      define('way.index', {
        pattern: 'of:{user}:all',
        params: { user: any },
        type: 'zset',
        role: 'session-index',
        parts: { userId: { param: 'user' }, token: { member: 'key' } },
      }),
    ],
    async (user, id) => {
      await test.redis.hset(`s:${id}`, { uid: user, name: user, seen: 1_700_000_000 });
      await test.redis.zadd(`of:${user}:all`, 1, `s:${id}`);
      await test.redis.zadd(`of:${user}:all`, 1, 'cart:anna');
      return test.redis.expire(`s:${id}`, 60);
    },
  ],
  [
    'JSON strings of a user, without an index',
    [
      define('way.session', {
        pattern: 's:{user}:{id}',
        params: { user: any, id: token },
        type: 'string',
        role: 'session',
        parts: { ...sessionParts, userId: { param: 'user' } },
      }),
    ],
    (user, id) =>
      test.redis.set(`s:${user}:${id}`, JSON.stringify({ name: user, seen: 1_700_000_000 }), 'EX', 60),
  ],
  [
    'hashes with the user behind the id',
    [
      define('way.session', {
        pattern: '{id}|s|{user}',
        params: { user: any, id: token },
        type: 'hash',
        role: 'session',
        parts: { ...sessionParts, username: { param: 'user' }, userId: { param: 'user' } },
      }),
      define('way.index', {
        pattern: 'of:{user}',
        params: { user: any },
        type: 'set',
        role: 'session-index',
        parts: { userId: { param: 'user' }, token: { member: 'token' } },
      }),
    ],
    async (user, id) => {
      await test.redis.hset(`${id}|s|${user}`, { seen: 1_700_000_000 });
      await test.redis.sadd(`of:${user}`, id);
      return test.redis.expire(`${id}|s|${user}`, 60);
    },
  ],
  [
    'hashes with fields of their own names',
    [
      define('way.session', {
        pattern: 'login/{user}/{id}',
        params: { user: any, id: token },
        type: 'hash',
        role: 'session',
        parts: { ...sessionParts, userId: { param: 'user' } },
      }),
      define('way.index', {
        pattern: 'logins/{user}',
        params: { user: any },
        type: 'set',
        role: 'session-index',
        parts: { userId: { param: 'user' }, token: { member: 'token' } },
      }),
    ],
    async (user, id) => {
      await test.redis.hset(`login/${user}/${id}`, { name: user, seen: 1_700_000_000 });
      await test.redis.sadd(`logins/${user}`, id);
      return test.redis.expire(`login/${user}/${id}`, 60);
    },
  ],
];

describe.each(WAYS)('sessions as %s', (_, families, write) => {
  const ctxOf = (): WriteContext => ({
    ...test.ctx,
    catalog: createRegistry([
      ...families,
      define('way.cart', { pattern: 'cart:{user}', params: { user: any }, type: 'hash', role: 'cache' }),
    ]),
  });

  it('are listed, searched, counted and revoked', async () => {
    const ctx = ctxOf();
    await test.redis.hset('cart:anna', 'product', 1);
    const ids = [newId(), newId(), newId()];
    await write('anna', ids[0]!);
    await write('anna', ids[1]!);
    await write('bert', ids[2]!);
    const all = await list({}, ctx);
    expect(all.map(({ userId, username, states }) => [userId, username, states]).sort()).toEqual([
      ['anna', 'anna', ['live']],
      ['anna', 'anna', ['live']],
      ['bert', 'bert', ['live']],
    ]);
    expect(all[0]).toMatchObject({ lastActivity: '2023-11-14T22:13:20.000Z', ttlSeconds: 60 });
    expect(await list({ username: 'ann', idleLongerThanSeconds: 60, state: 'live' }, ctx)).toHaveLength(2);
    expect(await list({ state: 'staleIndex' }, ctx)).toEqual([]);
    expect(await readStats(ctx)).toMatchObject({
      sessions: 3,
      users: 2,
      byState: { live: 3, staleIndex: 0 },
    });
    expect((await userPage('anna', ctx)).sessions).toHaveLength(2);
    const one = await revoke(ctx, { handles: [handle(ids[0]!)] });
    expect(one.result).toMatchObject({ matched: 1, revoked: 1, remaining: 0 });
    expect(one.result.stillValid).toMatchObject([{ kind: 'session', count: 1 }]);
    expect((await revoke(ctx, { userId: 'anna' })).result).toMatchObject({
      revoked: 1,
      remaining: 0,
      stillValid: [],
    });
    expect((await list({}, ctx)).map(({ userId }) => userId)).toEqual(['bert']);
    expect((await revoke(ctx, { filter: { username: 'bert' } })).result).toMatchObject({
      revoked: 1,
      remaining: 0,
    });
    expect(await test.redis.keys('*')).toEqual(expect.arrayContaining(['cart:anna']));
    expect(await repairAll(ctx)).toMatchObject({ remaining: 0 });
  });
});

describe('other facts and tokens of an own application', () => {
  const families = [
    define('way.session', {
      pattern: 's:{id}',
      params: { id: token },
      type: 'string',
      role: 'session',
      parts: {
        token: { param: 'id' },
        userId: { field: 'uid' },
        address: { field: 'ip' },
        device: { field: 'agent' },
        expiresAt: { field: 'cookie.expires', unit: 'iso' },
      },
    }),
    define('way.access', {
      pattern: 'at:{user}:{provider}',
      params: { user: any, provider: any },
      type: 'string',
      role: 'access-token',
      parts: { userId: { param: 'user' }, provider: { param: 'provider' } },
    }),
    define('way.verification', {
      pattern: 'v:{code}',
      params: { code: token },
      type: 'string',
      role: 'verification-token',
      parts: {
        token: { param: 'code' },
        userId: { field: 'uid' },
        type: { field: 'what' },
        createdAt: { field: 'at', unit: 'ms' },
      },
    }),
    // Somebody else, although the id is the same.
    define('other.refresh', {
      pattern: 'rt:{user}:{provider}',
      params: { user: any, provider: any },
      type: 'string',
      role: 'refresh-token',
      parts: { userId: { param: 'user' }, provider: { param: 'provider' } },
    }),
  ] as const satisfies Family[];

  it('are shown, found and ended with the sessions', async () => {
    const ctx: WriteContext = { ...test.ctx, catalog: createRegistry(families) };
    const expires = new Date(Date.now() + 60_000).toISOString();
    const value = { uid: 42, ip: '192.0.2.9', agent: AGENT, cookie: { expires } };
    await test.redis.set('s:first-session', JSON.stringify(value), 'EX', 3600);
    await test.redis.set('s:later-session', JSON.stringify({ ...value, uid: 42.5 }));
    await test.redis.set('at:42:gitlab', 'secret-token', 'EX', 60);
    await test.redis.set('at:421:gitlab', 'secret-token', 'EX', 60);
    await test.redis.set('rt:42:gitlab', 'secret-token', 'EX', 60);
    await test.redis.set(
      'v:code-1',
      JSON.stringify({ uid: 42, what: 'email', at: 1_700_000_000_000 }),
      'EX',
      60,
    );
    const page = await userPage('42', ctx);
    expect(page).toMatchObject({
      sessions: [
        {
          expiresAt: expires,
          ttlSeconds: 3600,
          device: { label: 'Firefox 143 · Linux', userAgent: AGENT, address: '192.0.2.9' },
          indexed: false,
          states: ['live'],
        },
      ],
      oauth: [{ userId: '42', provider: 'gitlab', kind: 'access' }],
      verifications: [{ userId: '42', type: 'email', createdAt: '2023-11-14T22:13:20.000Z' }],
      unindexed: 0,
      indexEntries: 0,
      staleIndex: 0,
      complete: true,
    });
    expect(await list({ address: '192.0.2.9', device: 'firefox' }, ctx)).toHaveLength(2);
    // What is no whole number is no user's id.
    expect(await list({ state: 'malformed' }, ctx)).toMatchObject([{ userId: null, handle: null }]);
    expect(await readStats(ctx)).toMatchObject({
      oauth: [
        { kind: 'access', provider: 'gitlab', count: 2 },
        { kind: 'refresh', provider: 'gitlab', count: 1 },
      ],
      verifications: [{ type: 'email', count: 1 }],
    });
    const { result } = await revoke(ctx, { userId: '42', also: ['oauth', 'verification'] });
    expect(result).toMatchObject({
      revoked: 1,
      remaining: 0,
      alsoRevoked: { oauth: 1, verification: 1 },
      stillValid: [],
      stillValidComplete: false,
      unread: 1,
      exact: false,
    });
    expect((await test.redis.keys('*')).sort()).toEqual(['at:421:gitlab', 'rt:42:gitlab', 's:later-session']);
  });

  // Neighbours: as JavaScript's numbers, and as Lua's, all of them are one.
  const NEIGHBOURS = ['1189723456789012480', '1189723456789012481', '1189723456789012482'] as const;
  const [, user] = NEIGHBOURS;

  it.each([
    ['numbers', (id: string) => id],
    ['text', (id: string) => `"${id}"`],
  ])('belong to users whose ids of 19 digits are %s', async (_kind, write) => {
    const ctx: WriteContext = { ...test.ctx, catalog: createRegistry(families) };
    for (const id of NEIGHBOURS) {
      await test.redis.set(`s:session-of-${id}`, `{"uid":${write(id)},"ip":"192.0.2.9"}`, 'EX', 60);
      await test.redis.set(`v:code-of-${id}`, `{"uid":${write(id)},"what":"email"}`, 'EX', 60);
    }
    const found = await list({}, ctx);
    expect(found.map(({ userId, states }) => [userId, states]).sort()).toEqual(
      NEIGHBOURS.map((id) => [id, ['live']]),
    );
    expect(found.every(({ handle: one }) => one !== null)).toBe(true);
    expect((await userPage(user, ctx)).verifications).toMatchObject([{ userId: user }]);
    const one = await revoke(ctx, { userId: user, also: ['verification'] });
    expect(one.result).toMatchObject({
      matched: 1,
      revoked: 1,
      remaining: 0,
      alsoRevoked: { verification: 1 },
      unread: 0,
      stillValid: [],
      stillValidComplete: true,
      exact: true,
    });
    const rest = NEIGHBOURS.filter((id) => id !== user);
    expect((await test.redis.keys('*')).sort()).toEqual(
      ['s:session', 'v:code'].flatMap((head) => rest.map((id) => `${head}-of-${id}`)),
    );
  });

  it('are not reported as ended where a user is a number that is no id', async () => {
    const ctx: WriteContext = { ...test.ctx, catalog: createRegistry(families) };
    for (const [i, id] of ['1e400', '-1189723456789012481', '0.1189723456789012481', '[7]'].entries())
      await test.redis.set(`s:odd-session-${i}`, `{"uid":${id}}`);
    await test.redis.set('s:session-of-7', '{"uid":7}');
    const { result } = await revoke(ctx, { userId: '7' });
    expect(result).toMatchObject({
      revoked: 1,
      remaining: 0,
      unread: 4,
      exact: false,
      stillValidComplete: false,
    });
    expect(await test.redis.dbsize()).toBe(4);
  });
});
