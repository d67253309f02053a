import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { completeLine } from './complete';
import { runLineCommand } from './run';

const READER = ['--user', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-command', '-hget', '-del'];

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], user: 'reader:secret', redisArgs: READER });
});
afterAll(() => test.close());

const run = (line: string) =>
  runCommand(runLineCommand, {
    ...{ actor: testActor(), requestId: 'r', connection: test.handle },
    raw: { line },
  });

it('has the shipped facts where the Redis user may use neither COMMAND nor COMMAND DOCS', async () => {
  await test.redis.set('shop:a', '1');
  expect(await run('GET shop:a')).toMatchObject({ reply: [{ text: '1' }] });
  expect(await run('SET shop:b 1')).toMatchObject({ undo: 'possible' });
  expect((await completeLine(test.ctx, { line: 'GET ' })).command).toMatchObject({
    ...{ syntax: 'key', since: '1.0.0', summary: null },
  });
  expect((await problemOf(run('FLUSHALL'))).code).toBe('command_refused');
});

it('says what the Redis user may not do, for a read and for a write', async () => {
  await test.redis.hset('shop:h', 'f', '1');
  for (const line of ['HGET shop:h f', 'DEL shop:h']) {
    const problem = await problemOf(run(line));
    expect([line, problem.status, problem.code]).toEqual([line, 503, 'not_permitted']);
  }
  expect(await test.redis.exists('shop:h')).toBe(1);
});
