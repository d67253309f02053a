import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { problemResponse } from '@/lib/http/respond';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { isRefusal } from './failure';
import { namedRefusal, refusedLine } from './refusal';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
  await test.redis.set('string', 'value');
  await test.redis.set('b', 'x');
  await test.redis.zadd('infinite', '+inf', 'SECRET');
  await test.redis.xadd('stream', '5-1', 'a', 'b');
});
afterAll(() => test.close());

const refusalOf = (name: string, ...args: string[]): Promise<unknown> =>
  test.redis.call(name, ...args).then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error,
  );

describe('a refusal of the server', () => {
  it.each([
    [['LPUSH', 'string', 'SECRET'], 'Redis refused LPUSH: The key holds a value of another type'],
    [
      ['XREADGROUP', 'GROUP', 'SECRET', 'c', 'STREAMS', 'stream', '>'],
      'XREADGROUP: The stream has no such group',
    ],
    [['XADD', 'stream', '1-1', 'a', 'SECRET'], 'XADD: The id of an entry must be above the last one'],
    [['INCR', 'string'], 'INCR: A number is not an integer, or out of range'],
    [['RESTORE', 'new', '0', 'SECRET'], 'RESTORE: The value is damaged, or comes from a newer server'],
    [['PEXPIRE', 'string', '9223372036854775807'], 'PEXPIRE: The expiry is not valid'],
    [['LSET', 'none', '0', 'SECRET'], 'LSET: The key does not exist'],
    [['SETRANGE', 'string', '536870911', 'SECRET'], 'SETRANGE: The value would be longer than'],
    [['ZINCRBY', 'infinite', '-inf', 'SECRET'], 'ZINCRBY: The result would be out of range'],
    [['RESTORE', 'new', '-1', 'SECRET'], 'RESTORE: The expiry is not valid'],
    [
      ['EVAL', "return redis.call('LPUSH', KEYS[1], 'SECRET')", '1', 'string'],
      'Redis refused this: The key holds',
    ],
    [
      ['EVAL', "return redis.error_reply('ODD SECRET words')", '0'],
      'this: Keyward does not know the reason that it gave (ODD)',
    ],
  ])('%j becomes a 409 that names it and repeats no argument', async ([name, ...args], words) => {
    const error = await refusalOf(name!, ...args);
    const response = problemResponse(error, 'request-1');
    const { detail, code } = (await response.json()) as { detail: string; code: string };
    expect([response.status, code]).toEqual([409, 'conflict']);
    expect(detail).toContain(words);
    expect(detail).not.toContain('SECRET');
    expect((refusedLine(error) as Error).message).not.toContain('SECRET');
  });

  it('says that a script was ended', async () => {
    await test.redis.config('SET', 'busy-reply-threshold', '10');
    const killer = test.redis.duplicate();
    await killer.ping();
    const ended = refusalOf('EVAL', 'while true do end', '0');
    const kill = async (): Promise<unknown> => killer.call('SCRIPT', 'KILL').catch(kill);
    await kill();
    killer.disconnect();
    const { message } = namedRefusal(await ended) as Error;
    expect(message).toMatch(/^Redis refused this: Somebody ended the script with SCRIPT KILL/);
  });

  it('is no problem of ours, whatever word that begins with', () => {
    for (const text of ['BY and GET read other keys.', 'FULL answers entries.', 'TTL must be above 0.']) {
      const problem = new Problem('command_refused', text);
      expect([namedRefusal(problem), refusedLine(problem), isRefusal(problem)]).toEqual([
        problem,
        problem,
        false,
      ]);
    }
  });

  it.each(['ERR not supported for this module key', 'ERR The module data type does not support copying'])(
    '%s says that it is a key of a module',
    (text) => {
      const error = Object.assign(new Error(text), { command: { name: 'copy', args: [] } });
      expect((namedRefusal(error) as Error).message).toBe(
        'Redis refused COPY: The command does not work on keys of modules (ERR).',
      );
    },
  );

  it.each([new TypeError('ours'), new Error('READONLY You can’t'), new Error('Connection is closed')])(
    'is nothing else: %s',
    (error) => {
      expect(namedRefusal(error)).toBe(error);
    },
  );
});
