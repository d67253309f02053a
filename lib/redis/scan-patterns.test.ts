import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { BOTH_WAYS, WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { ScanBudget } from './budget';
import { scanByScript, scanPatterns } from './scan';

const KEYS = 60_000;
const EACH = KEYS / 3;

/** A filter that everything passes. */
const FILTER = ['', '', 0, '', '', 0, '', '', 'index:', 3, ''];

const filled = async (redisArgs: string[] = []): Promise<TestContext> => {
  const made = await testContext({ redisArgs });
  for (let from = 0; from < KEYS; from += 5000) {
    const pairs = Array.from({ length: 5000 }, (_, i) => [`${'abc'[(from + i) % 3]}:${from + i}`, 'x']);
    await made.redis.mset(Object.fromEntries(pairs));
  }
  // Connecting, and making a script known, are commands as well.
  for await (const _ of scanPatterns(made.handle, ['none', 'nobody'])) break;
  return made;
};

const budget = (chunk = 1000, pauseMs = 0) => new ScanBudget({ chunk, pauseMs, maxAddedLatencyMs: 10_000 });

const commandsOf = async ({ redis }: TestContext) =>
  Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);

it.each(BOTH_WAYS)(
  'gives what matches any pattern once, %s, however many keys a call',
  { tags: ['long'] },
  async (_, redisArgs) => {
    const own = await filled(redisArgs);
    for (const chunk of [100, 512, 1000]) {
      const found: string[] = [];
      const shares: number[] = [];
      const [before, counted] = [await commandsOf(own), own.handle.own.snapshot()];
      const options = { budget: budget(chunk) };
      for await (const { keys, share } of scanPatterns(own.handle, ['a:*', '[b]:*'], options)) {
        found.push(...keys.map(String));
        shares.push(share);
      }
      const { commands, hits, misses } = own.handle.own.snapshot();
      expect(found).toHaveLength(2 * EACH);
      expect(new Set(found).size).toBe(2 * EACH);
      expect(found.some((key) => key.startsWith('c'))).toBe(false);
      expect(shares).toEqual([...shares].sort((a, b) => a - b));
      expect(shares[shares.length - 1]).toBe(1);
      // The look at the server's counter is one of the commands it counts.
      expect((await commandsOf(own)) - before - 1).toBe(commands - counted.commands);
      expect([hits, misses]).toEqual([counted.hits, counted.misses]);
    }
    await own.close();
  },
);

it('goes again where a table that is resized ends two patterns in different places', {
  tags: ['long'],
}, async () => {
  const own = await filled(WITHOUT_SCRIPTS);
  const { redis } = own.handle.topology.primaries()[0]!.client('scan');
  const original = redis.callBuffer as (...call: unknown[]) => Promise<unknown>;
  let scans = 0;
  redis.callBuffer = async (...call: unknown[]) => {
    const [name, args] = call as [string, (string | number)[]];
    scans += 1;
    // The second pattern gets further, and what lies between is not looked at for the first.
    const further = scans === 2 ? [args[0], 'MATCH', args[2], 'COUNT', 5000] : args;
    return original.call(redis, name, further);
  };
  const found = new Set<string>();
  for await (const { keys } of scanPatterns(own.handle, ['a:*', 'b:*'], { budget: budget() }))
    for (const key of keys) found.add(String(key));
  expect(found.size).toBe(2 * EACH);
  await own.close();
});

let test: TestContext;
beforeAll(async () => {
  test = await filled();
  if (!IS_REDIS_6)
    for await (const _ of scanByScript(test.handle, 'find-sessions', () => FILTER, { match: 'none' })) break;
});
afterAll(() => test.close());

it.skipIf(IS_REDIS_6)('gives what a script picked, once, and counts what it looked at', async () => {
  let [looked, picked] = [0, 0];
  const [before, own] = [await commandsOf(test), test.handle.own.snapshot()];
  const options = { match: 'a:*', budget: budget() };
  for await (const chunk of scanByScript(test.handle, 'find-sessions', () => FILTER, options)) {
    looked += chunk.examined;
    picked += chunk.picked.length;
  }
  expect(picked).toBe(EACH);
  expect(looked).toBe(EACH);
  expect((await commandsOf(test)) - before - 1).toBe(test.handle.own.snapshot().commands - own.commands);
});

it('stops when it is aborted, also while it waits', async () => {
  const controller = new AbortController();
  const options = { budget: budget(1000, 10_000), signal: controller.signal };
  let chunks = 0;
  const walk = async () => {
    for await (const { keys } of scanPatterns(test.handle, ['a:*'], options)) {
      expect(keys.length).toBeGreaterThan(0);
      chunks += 1;
      setImmediate(() => controller.abort(new Error('enough')));
    }
  };
  await expect(walk()).rejects.toThrow('enough');
  expect(chunks).toBe(1);
});

it('says that the server is out of reach', async () => {
  const gone = await testContext();
  await gone.handle.reader.size();
  const ended = once(gone.redis, 'close');
  gone.redis.shutdown('NOSAVE').catch(() => undefined);
  await ended;
  await gone.close();
  await expect(scanPatterns(gone.handle, ['a:*']).next()).rejects.toMatchObject({ status: 503 });
});
