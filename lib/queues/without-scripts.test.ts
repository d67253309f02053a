import { afterAll, beforeAll, expect, it } from 'vitest';
import { QueueProbe } from '@/lib/sampler/queue-probe';
import { SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { listQueues, peekQueue } from './reads';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], redisArgs: WITHOUT_SCRIPTS });
});
afterAll(() => test.close());

it('reads queues with commands where the server has no read-only scripts; rates are lower bounds', async () => {
  await test.redis.rpush('queue:list', 'a', 'b', 'c');
  for (const id of ['1-0', '2-0']) await test.redis.xadd('queue:stream', id, 'n', id);
  await test.redis.zadd('delayed:tasks', 1, 'a', 2, 'b');
  let now = Date.now();
  const probe = new QueueProbe(test.handle, test.ctx.store);
  const sample = () => {
    now += 10 * SECOND;
    return probe.tick(() => now);
  };
  await sample();
  await test.redis.rpush('queue:list', 'd', 'e');
  await test.redis.lpop('queue:list');
  await sample();
  const { items } = await listQueues({ ...test.ctx, now: () => now }, { limit: 10 });
  expect(
    items.map(({ name, length, inPerSecond, outPerSecond }) => [name, length, inPerSecond, outPerSecond]),
  ).toEqual([
    ['tasks', 2, 0, 0],
    ['list', 4, 0.1, 0],
    ['stream', 2, 0, 0],
  ]);
  expect(items.every(({ ratesAreAtLeast }) => ratesAreAtLeast)).toBe(true);
  const first = async (keyId: string, from: 'head' | 'tail') =>
    (await peekQueue(test.ctx, { keyId, from, limit: 2 })).items[0]!;
  const [tasks, list, stream] = items.map(({ keyId }) => keyId);
  expect((await first(tasks!, 'tail')).value!.text).toBe('b');
  expect((await first(list!, 'head')).value!.text).toBe('b');
  expect((await first(list!, 'tail')).value!.text).toBe('e');
  expect((await first(stream!, 'tail')).entryId).toBe('2-0');
});
