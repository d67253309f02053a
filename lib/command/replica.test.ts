import { afterAll, beforeAll, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { changeInput, changeResult, contract } from '@/lib/contract';
import { freePort } from '@/scripts/redis-server.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { defineCommand } from './define';
import { runCommand } from './run';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

const setKey = defineCommand({
  contract: contract({
    id: 'test.set',
    method: 'POST',
    path: '/api/v1/connections/{connection}/test/set',
    permission: 'env:write',
    summary: 'Sets a key.',
    input: changeInput({}),
    result: changeResult({}),
  }),
  target: () => 'key',
  redact: () => ({}),
  run: async (ctx) => {
    await ctx.writer.compareAndSet(Buffer.from('key'), null, Buffer.from('x'));
    return { result: {}, before: null, after: null };
  },
});

const run = () =>
  runCommand(setKey, { actor: testActor('admin'), requestId: 'r', connection: test.handle, raw: {} });

it('a change through a replica is 423 with the reason, on record, until the server is a primary again', async () => {
  expect(await test.handle.reader.size()).toBe(0);
  await test.redis.call('REPLICAOF', '127.0.0.1', await freePort());
  const problem = await problemOf(run());
  expect(problem).toMatchObject({ status: 423, code: 'read_only' });
  expect(problem.message).toBe(
    'The server of connection "main" is a replica, which is read-only. No changes are possible.',
  );
  const { items } = await listEntries(test.ctx.store);
  expect(items).toMatchObject([{ outcome: 'failed', detail: 'refused: its server is a replica' }]);
  await test.redis.call('REPLICAOF', 'NO', 'ONE');
  expect(await run()).toMatchObject({ auditId: expect.any(String) });
  expect(await test.redis.get('key')).toBe('x');
});
