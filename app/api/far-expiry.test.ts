import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import { registerDomains } from '@/lib/domains/all';
import { closeQueue } from '@/lib/jobs/queue';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { ask, configureInterface, operations, ROOT } from '@/scripts/testing/interface';
import { minimalInput } from '@/scripts/testing/minimal-input';

let test: TestContext;
beforeAll(async () => {
  configureInterface();
  test = await testContext();
  registerDomains();
});
afterAll(async () => {
  await closeQueue();
  await test.close();
});

/** A key of a type that the family documents, with a time of its own wherever it has one. */
const write = (key: Buffer, type: string, at: string): Promise<unknown> => {
  const { redis } = test;
  const fields = ['user_id', '1', 'created_at', at, 'last_activity', at, 'expires_at', at];
  if (type === 'hash') return redis.hset(key, ...fields);
  if (type === 'list') return redis.rpush(key, at);
  if (type === 'set') return redis.sadd(key, at);
  if (type === 'zset') return redis.zadd(key, at, at);
  if (type === 'stream') return redis.xadd(key, '*', 'at', at);
  return redis.set(key, at);
};

it.each(['253402300800000', '8640000000000001', '9223372036854775807'])(
  'no answer fails for keys of all families that expire at %s',
  { tags: ['long'] },
  async (at) => {
    await test.empty();
    for (const { examples = [], type, app } of catalogOf(test.handle).families) {
      if (app === 'console') continue;
      for (const example of examples) {
        const key = Buffer.from(example);
        await write(key, type, at);
        await test.redis.call('PEXPIREAT', key, at).catch(() => undefined);
      }
    }
    expect(await test.redis.dbsize()).toBeGreaterThan(20);
    const failed: unknown[] = [];
    for (const { contract } of operations) {
      if (contract.method !== 'GET' || contract.stream) continue;
      const response = await ask(contract.id, minimalInput(contract), ROOT);
      if (response.status >= 500) failed.push([contract.id, response.status, await response.text()]);
      else await response.body?.cancel();
    }
    expect(failed).toEqual([]);
  },
);
