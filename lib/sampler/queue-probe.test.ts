import { expect, it } from 'vitest';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { noticeQueues } from '@/lib/queues/noticed';
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

it('samples a new queue in place of the one that is empty for the longest time', {
  tags: 'long',
}, async () => {
  const test = await testContext({ apps: ['discours'] });
  try {
    const names = Array.from({ length: MAX_QUEUES }, (_, i) => `queue:reply:${i}`);
    for (const name of names) await test.redis.rpush(name, 'x');
    const probe = new QueueProbe(test.handle, test.ctx.store);
    let now = Date.now();
    const sample = async (...noticed: string[]) => {
      now += 10_000;
      noticeQueues(
        test.handle,
        noticed.map((name) => Buffer.from(name)),
      );
      await probe.tick(() => now);
      const { byId } = await readStates(test.ctx.store, test.handle.config.id);
      return [...byId.values()].map(({ key }) => `${key}`).sort();
    };
    expect(await sample()).toEqual(names.toSorted());
    await test.redis.rpush('queue:new', 'x');
    expect(await sample('queue:new')).toEqual(names.toSorted());
    await test.redis.del('queue:reply:7');
    await sample();
    await test.redis.del('queue:reply:3');
    await sample();
    expect(await sample('queue:new')).toEqual(
      [...names.filter((name) => name !== 'queue:reply:7'), 'queue:new'].sort(),
    );
  } finally {
    await test.close();
  }
});

it('samples so many queues, once in ten seconds, and keeps no more histories than it must', {
  tags: ['long'],
}, async () => {
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
