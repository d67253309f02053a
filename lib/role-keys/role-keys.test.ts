import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { restartDuring } from '@/scripts/testing/restart';
import { MAX_KEYS, roleKeys } from './role-keys';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  forget('role keys');
  await test.empty();
});
afterAll(() => test.close());

const names = async (...roles: Parameters<typeof roleKeys>[2]) => {
  const { keys, ...rest } = await roleKeys(test.handle, test.ctx.catalog, roles);
  return { ...rest, names: keys.map(({ key }) => key.toString()).sort() };
};

it('finds the keys of roles, of any application and of common prefixes, by one scan', async () => {
  await test.redis.mset({
    'lock:publish:1': 'me',
    'lock:nightly': 'me',
    'metrics:hits:daily': '1',
    'counter:visits': '1',
    'author:id:1': '{}',
    'lock:': 'me',
    unrelated: 'x',
  });
  await test.redis.rpush('queue:email:pending', 'a');
  await test.redis.hset('stats:topics:weekly', 'total', 1);
  const scans = async () =>
    Number(/cmdstat_scan:calls=(\d+)/.exec(await test.redis.info('commandstats'))?.[1] ?? 0);
  const locks = await names('lock');
  // Malformed keys too, but not the prefix alone.
  expect(locks).toMatchObject({ names: ['lock:nightly', 'lock:publish:1'], isComplete: true });
  expect(locks.foundAt).toBeGreaterThan(Date.now() - 60_000);
  const before = await scans();
  const [others, queues] = await Promise.all([names('counter', 'stats', 'count'), names('queue')]);
  expect(others.names).toEqual(['counter:visits', 'metrics:hits:daily', 'stats:topics:weekly']);
  expect(queues.names).toEqual(['queue:email:pending']);
  expect((await scans()) - before).toBeLessThanOrEqual(1);
});

it('sees a new key a moment later', async () => {
  expect((await names('queue')).names).toEqual([]);
  await test.redis.rpush('queue:email:pending', 'a');
  await expect.poll(async () => (await names('queue')).names).toEqual(['queue:email:pending']);
});

it('lists so many keys of a role, and says that there are more', async () => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i <= MAX_KEYS; i++) pipeline.set(`counter:${i}`, i);
  pipeline.set('lock:publish:1', 'me');
  await pipeline.exec();
  const { names: counted, isComplete } = await names('count');
  expect([counted.length, isComplete]).toEqual([MAX_KEYS, false]);
  expect((await names('lock')).isComplete).toBe(true);
});

it('begins again where the server restarts, and finds each key once', { tags: ['long'] }, async () => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 4000; i++) pipeline.set(`counter:${i}`, i);
  await pipeline.exec();
  const { restarts } = restartDuring(test, 1);
  await expect.poll(async () => (await names('count')).isComplete).toBe(true);
  expect((await names('count')).names).toHaveLength(4000);
  expect(restarts()).toBe(1);
});
