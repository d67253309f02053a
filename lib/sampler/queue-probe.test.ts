import { expect, it } from 'vitest';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { readStates } from '@/lib/queues/states';
import { store } from '@/lib/redis/store';
import { testContext } from '@/scripts/testing/context';
import { MAX_QUEUES, QueueProbe } from './queue-probe';
import { Sampler } from './sampler';

it('the leading sampler samples queues, and counts its reads as own traffic', async () => {
  const test = await testContext({ apps: ['discours'] });
  const samplers = ['one', 'two'].map((self) => new Sampler(store(), [test.handle], self));
  try {
    await test.redis.rpush('queue:email', 'a', 'b');
    await expect
      .poll(async () => {
        for (const sampler of samplers) await sampler.tick();
        return (await readStates(store(), test.handle.config.id)).byId.size;
      })
      .toBe(1);
    expect(samplers.map(({ isLeader }) => isLeader)).toEqual([true, false]);
  } finally {
    await Promise.all(samplers.map((sampler) => sampler.close()));
    await test.close();
  }
});

it('samples so many queues, once in ten seconds, and keeps no more histories than it must', async () => {
  const test = await testContext({ apps: ['discours'] });
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < MAX_QUEUES + 20; i++) pipeline.rpush(`queue:n${i}`, 'x');
    await pipeline.exec();
    const probe = new QueueProbe(test.handle, test.ctx.store);
    const now = Math.ceil(Date.now() / 10_000) * 10_000;
    await probe.tick(() => now);
    const { commands } = test.handle.own.snapshot();
    await probe.tick(() => now + 9_999);
    expect(test.handle.own.snapshot().commands).toBe(commands);
    const index = consoleFamilies.queueHistories.key({ connection: test.handle.config.id });
    expect(await test.storeRedis.zcard(index)).toBe(MAX_QUEUES);
    // As if a thousand queues of other names had been sampled since.
    await test.storeRedis.zadd(
      index,
      ...Array.from({ length: 1000 }, (_, i) => [now + i, `other-${i}`]).flat(),
    );
    await probe.tick(() => now + 10_000);
    expect(await test.storeRedis.zcard(index)).toBe(1000);
  } finally {
    await test.close();
  }
});
