import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { identifyKeys } from './identify-keys';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'minidouyin'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const row = (id: number, username: string, password: string) => ({
  ID: `${id}`,
  Username: username,
  Passwd: password,
  Token: username + password,
  FollowCount: '0',
});

const families = async (keys: readonly string[]) => {
  const found = await identifyKeys(
    test.ctx.reader,
    test.ctx.catalog,
    keys.map((key) => Buffer.from(key)),
  );
  return Object.fromEntries(
    keys.map((key, i) => [key, found[i]!.family?.id ?? found[i]!.malformedOf?.id ?? null]),
  );
};

it('tells a user from whatever else lies under a bare key, by type and fields', async () => {
  const users = [row(4, 'toni', '123456'), row(5, 'video_bob', '123456'), row(6, 'a/b:', 'cd ef')];
  for (const user of users) {
    await test.redis.hset(user.ID, user);
    await test.redis.hset(user.Token, user);
  }
  await test.redis.set('12345', 'somebody else’s');
  await test.redis.sadd('users-online', '1');
  await test.redis.hset('settings', { theme: 'dark' });
  await test.redis.hset('77', { Username: 'half', Passwd: '' });
  await test.redis.hset('video_27', { ID: '27' });
  await test.redis.set('video_x', '?');
  expect(await families(['4', '5', 'toni123456', 'video_bob123456', 'a/b:cd ef'])).toEqual({
    '4': 'minidouyin.user',
    '5': 'minidouyin.user',
    toni123456: 'minidouyin.user-token',
    video_bob123456: 'minidouyin.user-token',
    'a/b:cd ef': 'minidouyin.user-token',
  });
  expect(await families(['12345', 'users-online', 'settings', '77', 'gone', '99'])).toEqual({
    '12345': null,
    'users-online': null,
    settings: null,
    '77': null,
    gone: null,
    '99': null,
  });
  expect(await families(['video_27', 'video_x', 'author:id:1', 'author:id:x'])).toEqual({
    video_27: 'minidouyin.video',
    video_x: 'minidouyin.video',
    'author:id:1': 'discours.author-id',
    'author:id:x': 'discours.author-id',
  });
});

it('asks nothing about keys whose name is enough, and counts what it asks as its own', async () => {
  await test.redis.hset('4', row(4, 'toni', '123456'));
  await test.redis.set('12345', 'x');
  const { own } = test.handle;
  const before = own.snapshot();
  await families(['video_27', 'author:id:1', 'keyward:users']);
  expect(own.snapshot()).toEqual(before);
  await test.redis.config('RESETSTAT');
  await families(['4', '12345', 'gone']);
  const stats = await test.redis.info('stats');
  const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]);
  const after = own.snapshot();
  expect([after.hits - before.hits, after.misses - before.misses]).toEqual([
    of('keyspace_hits'),
    of('keyspace_misses'),
  ]);
});
