import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { ANNOUNCED, MARK, NAMED, secretNames } from '@/scripts/testing/secret-shapes';
import { runLineCommand } from './run';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

const answers = async (lines: readonly string[]): Promise<string> => {
  const run = (line: string) =>
    runCommand(runLineCommand, {
      actor: testActor('support'),
      requestId: 'r',
      connection: test.handle,
      raw: { line },
    });
  return JSON.stringify(await Promise.all(lines.map(run)));
};

const READS = [
  'HGETALL shop:h',
  'LRANGE shop:l 0 -1',
  'XRANGE shop:x - +',
  'SMEMBERS shop:s',
  'SSCAN shop:s 0',
  'ZRANGE shop:z 0 -1 WITHSCORES',
  'GET shop:t',
  'MGET shop:t shop:t',
];

it('shows and records no secret, by its form or by its name beside it', async () => {
  const { redis } = test;
  const shapes = fc.tuple(secretNames, fc.constantFrom(...NAMED)).map(([name, shape]) => shape(name, MARK));
  await fc.assert(
    fc.asyncProperty(secretNames, fc.oneof(shapes, fc.constantFrom(...ANNOUNCED)), async (name, text) => {
      await test.empty();
      await redis.hset('shop:h', { text });
      await redis.hset('shop:named', { id: '7', [name]: MARK });
      await redis.rpush('shop:l', text, name, MARK);
      await redis.xadd('shop:x', '1-1', name, MARK, 'text', text);
      await redis.sadd('shop:s', text);
      await redis.zadd('shop:z', 1, text);
      await redis.set('shop:t', text);
      expect(await answers([...READS, 'HGETALL shop:named', `HMGET shop:named ${name}`])).not.toContain(MARK);
      expect(JSON.stringify(await listEntries(test.ctx.store))).not.toContain(MARK);
    }),
    { numRuns: 40 },
  );
});
