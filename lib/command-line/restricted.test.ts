import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { aclRules, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { completeLine } from './complete';
import { runLineCommand } from './run';

const READER = ['--user', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-command', '-hget', '-del'];

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], user: 'reader:secret', redisArgs: READER });
});
afterAll(() => test.close());

const run = (line: string, more: Record<string, unknown> = {}) =>
  runCommand(runLineCommand, {
    actor: testActor(),
    requestId: 'r',
    connection: test.handle,
    raw: { line, ...more },
  });

it('has the shipped facts where the Redis user may use neither COMMAND nor COMMAND DOCS', async () => {
  await test.redis.set('shop:a', '1');
  expect(await run('GET shop:a')).toMatchObject({ reply: [{ text: '1' }] });
  expect(await run('SET shop:b 1')).toMatchObject({ undo: 'possible' });
  expect((await completeLine(test.ctx, { line: 'GET ' })).command).toMatchObject({
    syntax: 'key',
    since: '1.0.0',
    summary: null,
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

describe('a Redis user who may not read what a line leaves', () => {
  const forbid = (...commands: string[]) => test.redis.call('ACL', 'SETUSER', 'reader', ...commands);

  it('still sees a write succeed, without an undo', async () => {
    await forbid(...aclRules('-pttl', '-pexpiretime'));
    const done = await run('SET shop:new 1').finally(() => forbid(...aclRules('+pttl', '+pexpiretime')));
    expect(done).toMatchObject({ undo: 'incomparable', keys: [], reply: [{ text: 'OK' }] });
    // How many of its keys exist now is unknown.
    const entry = await findEntry(test.ctx.store, done.auditId!);
    expect(entry).toMatchObject({ outcome: 'succeeded', after: { exist: null } });
  });

  it.skipIf(IS_REDIS_6)(
    'gets no part of a large key where no script measures the answer, or its size is unknown',
    async () => {
      await test.redis.rpush('shop:l', ...Array.from({ length: 100 }, () => 'x'), 'y'.repeat(2 ** 21));
      await test.redis.rpush('shop:few', 'x');
      await forbid(...aclRules('-eval_ro', '-evalsha_ro', '-memory|usage'));
      // The first read after a change of permissions learns of it.
      expect((await problemOf(run('SMEMBERS shop:none'))).code).toBe('not_permitted');
      expect((await problemOf(run('LINDEX shop:few 0'))).code).toBe('command_refused');
      await forbid('+memory|usage');
      expect(await run('LINDEX shop:few 0')).toMatchObject({ reply: [{ text: 'x' }] });
      const problem = await problemOf(run('LRANGE shop:l -1 -1'));
      await forbid('+eval_ro', '+evalsha_ro');
      expect([problem.code, problem.message]).toEqual([
        'command_refused',
        expect.stringContaining('read-only scripts'),
      ]);
    },
  );
});
