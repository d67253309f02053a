import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listFamilies } from '@/lib/families/list';
import { type Census, readCensus, writeCensus } from '@/lib/history/census';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { takeCensus } from './census';

let test: TestContext;
/** The same Redis with one application, without bare keys: an unknown key is not masked as a whole. */
let one: ConnectionHandle;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'minidouyin', 'qianxun'] });
  one = openConnection({ ...test.handle.config, apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => {
  one.topology.close();
  return test.close();
});

const count = async () => {
  const { census } = await takeCensus(test.handle, new AbortController().signal);
  await writeCensus(store(), 'main', census);
  const { items } = await listFamilies(test.ctx);
  return { ...census, row: (id: string) => items.find(({ family }) => family === id) };
};

/** A user as the short-video application keeps it: twice, under the id and under name and password. */
const addUser = async (id: number, name: string, password: string): Promise<void> => {
  const row = { ID: id, Username: name, Nickname: '', Passwd: password, Token: name + password };
  for (const key of [`${id}`, row.Token]) await test.redis.hset(key, { ...row, FollowCount: 0 });
};

/** Every key is classified, unclassified or malformed. */
const expectComplete = async ({ families, unclassified, malformed }: Census): Promise<void> => {
  const classified = Object.values(families).reduce((sum, { keys }) => sum + keys, 0);
  expect(classified + unclassified + malformed).toBe(await test.redis.dbsize());
};

describe('the census', () => {
  it('counts what contradicts the catalog, and unclassified keys by what they begin with', async () => {
    const { redis } = test;
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ';
    const random = 'q8Zt3LmX0vRw7YcK2bNdHs9P';
    await redis.set(`verification_token:${token}`, '{}', 'EX', 7200);
    await redis.set('verification_token:b', '{}');
    await redis.set('verification_token:c', '{}', 'EX', 700);
    for (let id = 0; id < 3; id++)
      await redis.hset(`session:${id}:${token}`, { username: 'anna', created_at: 1 });
    await redis.set('env_vars:theme', 'dark', 'EX', 60);
    for (let id = 0; id < 40; id++) await redis.set(`shop:cart:${id}`, '1');
    for (let id = 0; id < 30; id++) await redis.set(`tokens:${random}${id}`, '1');
    await redis.set(Buffer.from([0xff, 0x00, 0x3a, 0x80]), '1');
    const { census } = await takeCensus(one, new AbortController().signal);
    expect(census.families['discours.verification-token']).toMatchObject({
      ttls: { of: 3, missing: 1, longer: 1, unexpected: 0 },
    });
    const session = census.families['discours.session'];
    expect(session?.fields).toEqual({
      of: 3,
      missing: expect.objectContaining({ last_activity: 3, device_info: 3 }),
    });
    expect(session?.fields?.missing).not.toHaveProperty('created_at');
    expect(census.families['discours.env-vars']?.ttls).toMatchObject({ of: 1, unexpected: 1 });
    expect(census.prefixes).toEqual([
      { prefix: 'shop:cart:', keys: 40, sample: expect.any(Array) },
      { prefix: 'tokens:', keys: 30, sample: ['tokens:•••', 'tokens:•••', 'tokens:•••'] },
      { prefix: '', keys: 1, sample: ['\\xff\\x00:\\x80'] },
    ]);
    expect(census.unclassified).toBe(71);
    await expectComplete(census);
    expect(JSON.stringify(census)).not.toContain(random.slice(0, 6));
    await writeCensus(store(), 'main', census);
    expect(await readCensus(store(), 'main')).toEqual(census);
    // What an earlier version stored.
    const { prefixes, catalog, ...earlier } = census;
    const families = { 'discours.verification-token': { keys: 1, memoryBytes: null, withoutTtl: 0 } };
    await writeCensus(store(), 'main', { ...earlier, families });
    expect(await readCensus(store(), 'main')).toEqual({ ...earlier, families });
  });

  it('counts the types that are stored, and the families list says where they differ', {
    tags: ['long'],
  }, async () => {
    for (let id = 1; id <= 412; id++) await test.redis.zadd(`user_like_${id}`, 1, '27');
    await test.redis.zadd('activity:u1000:own', 1, 'a500');
    await test.redis.rpush('activity:u1001:own', 'a500');
    await test.redis.set('activity:u1002:own', 'a500');
    const { families, row } = await count();
    expect(families['minidouyin.user-like']).toMatchObject({ keys: 412, types: { zset: 412 } });
    expect(row('minidouyin.user-like')).toMatchObject({
      type: 'set',
      types: { zset: 412 },
      drift: [{ what: 'type', documented: 'set', found: 'zset', keys: 412, of: 412 }],
    });
    expect(row('qianxun.activity-own')?.drift).toEqual([
      expect.objectContaining({ documented: 'zset or list', found: 'string', keys: 1, of: 3 }),
    ]);
  });

  it('counts users by type and fields, never by name', async () => {
    await addUser(4, 'toni', '123456');
    await addUser(5, 'video_bob', '123');
    await addUser(6, 'a/', 'b');
    await test.redis.set('12345', 'somebody else’s');
    await test.redis.sadd('users-online', '4');
    await test.redis.hset('99', { clicks: 1 });
    await test.redis.set('video_x', '?');
    const { row, ...census } = await count();
    const { families, unclassified, malformed } = census;
    expect(families['minidouyin.user']).toMatchObject({ keys: 3, withoutTtl: 3, types: { hash: 3 } });
    expect(families['minidouyin.user-token']).toMatchObject({ keys: 3, types: { hash: 3 } });
    expect([unclassified, malformed]).toEqual([3, 1]);
    await expectComplete(census);
  });

  it('counts keys with ids of any text', async () => {
    for (const id of ['u1000', 'a500', '65f0c0ffee0123456789abcd', '7', 'имя 1'])
      await test.redis.hset(`user:${id}`, { username: 'anna' });
    await test.redis.hset('user:u1000:x', { username: 'no id' });
    const { families, malformed } = await count();
    expect(families['qianxun.user']).toMatchObject({ keys: 5 });
    expect(malformed).toBe(1);
  });

  it('excludes its own reads from the hit rate exactly', async () => {
    await addUser(4, 'toni', '123456');
    await test.redis.set('12345', 'x');
    await test.redis.hset('half', { Username: 'x' });
    await test.redis.zadd('user_like_4', 1, '27');
    const { own } = test.handle;
    const before = own.snapshot();
    await test.redis.config('RESETSTAT');
    await takeCensus(test.handle, new AbortController().signal);
    const stats = await test.redis.info('stats');
    const after = own.snapshot();
    const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]);
    expect(of('keyspace_hits')).toBeGreaterThan(0);
    expect([after.hits - before.hits, after.misses - before.misses]).toEqual([
      of('keyspace_hits'),
      of('keyspace_misses'),
    ]);
  });
});
