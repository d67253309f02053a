import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { restartDuring } from '@/scripts/testing/restart';
import { scanKeys } from './scan';
import { connectedProcess, processOf, wholeCount, wholeWalk } from './server-process';

let test: TestContext;
beforeEach(async () => {
  test = await testContext({ scan: { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 } });
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 227; i++) pipeline.set(`k:${i}`, '');
  await pipeline.exec();
});
afterEach(() => test.close());

const keysOf = async (walk: AsyncIterable<{ keys: Buffer[] }>): Promise<string[]> => {
  const found: string[] = [];
  for await (const { keys } of walk) found.push(...keys.map(String));
  return found;
};

it('tells one process of a server from the next, and knows one again after a lost connection', async () => {
  const before = await connectedProcess(test.handle);
  const addresses = async () =>
    String(await test.redis.client('LIST')).match(/ addr=\S+(?= .* name=keyward)/g)!;
  const clients = await addresses();
  for (const address of clients) await test.redis.client('KILL', 'ADDR', address.slice(' addr='.length));
  await expect.poll(() => test.handle.reader.size().catch(() => null)).toBe(227);
  expect(await connectedProcess(test.handle)).toBe(before);
  expect(await addresses()).not.toEqual(clients);
  await test.restart();
  expect(processOf(test.handle)).not.toBe(before);
});

it('begins a walk again in another process, and says so', async () => {
  restartDuring(test, 5);
  let restarted = 0;
  const walk = wholeWalk(test.handle, () => scanKeys(test.handle), { restarted: () => void restarted++ });
  expect(new Set(await keysOf(walk)).size).toBe(227);
  expect(restarted).toBe(1);
});

it('begins a count again in another process', async () => {
  restartDuring(test, 5);
  expect(await wholeCount(test.handle, async () => (await keysOf(scanKeys(test.handle))).length)).toBe(227);
});

it('gives up with the reason where it happens again and again', async () => {
  restartDuring(test, 2, 4, 6, 8);
  const walk = keysOf(wholeWalk(test.handle, () => scanKeys(test.handle)));
  const problem = await problemOf(walk);
  expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
  expect(problem.message).toContain('restarted, or another one took over');
});
