import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCall } from '@/lib/redis/parsed-call';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { showCall } from './shown-call';
import { commandTable } from './table';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

const show = async (...args: (string | Buffer)[]) =>
  showCall(
    parseCall(
      await commandTable(test.handle),
      args.map((arg) => Buffer.from(arg)),
    ),
    test.ctx.catalog,
  );
const line = async (...args: (string | Buffer)[]) => {
  const { command, shown } = await show(...args);
  return [command, ...shown.map(({ text }) => text)].join(' ');
};

describe('a call for display', () => {
  it('has the command, its keys and options, and no value', async () => {
    expect(await line('set', 'author:id:7', 'hunter2', 'ex', '60')).toBe('SET author:id:7 ••• EX •••');
    expect(await line('HSET', 'author:id:7', 'password', 'hunter2')).toBe('HSET author:id:7 ••• •••');
    expect(await line('lrange', 'queue:email', '0', '-1')).toBe('LRANGE queue:email 0 -1');
    expect(await line('config', 'set', 'requirepass', 'hunter2')).toBe('CONFIG SET ••• •••');
    expect(await line('eval', 'return "hunter2"', '1', 'author:id:7', '123456')).toBe(
      'EVAL ••• ••• author:id:7 •••',
    );
  });

  it.skipIf(IS_REDIS_6)('shows a number only where it is a place, a count or a time', async () => {
    expect(await line('set', 'author:id:7', '123456')).toBe('SET author:id:7 •••');
    expect(await line('sismember', 'author:id:7', '123456')).toBe('SISMEMBER author:id:7 •••');
    expect(await line('expire', 'author:id:7', '60')).toBe('EXPIRE author:id:7 60');
    expect(await line('sscan', 'author:id:7', '0', 'match', '42', 'count', '10')).toBe(
      'SSCAN author:id:7 0 MATCH ••• COUNT 10',
    );
    expect(await line('slowlog', 'get', '10')).toBe('SLOWLOG GET 10');
  });

  it.each([
    'SETRANGE otp:1 0 482913',
    'SETBIT otp:1 482913 1',
    'BITFIELD pin:1 SET u32 0 482913',
    'BITFIELD pin:1 INCRBY u32 0 482913',
    'SETEX otp:1 60 482913',
    'PSETEX otp:1 60 482913',
    'GETSET otp:1 482913',
    'APPEND otp:1 482913',
    'INCRBY otp:1 482913',
    'HSET otp:1 field 482913',
    'HINCRBY otp:1 field 482913',
    'LPUSH otp:1 482913',
    'LSET otp:1 0 482913',
    'LINSERT otp:1 BEFORE a 482913',
    'LREM otp:1 0 482913',
    'LPOS otp:1 482913',
    'SADD otp:1 482913',
    'SMOVE otp:1 otp:2 482913',
    'ZADD otp:1 1 482913',
    'ZINCRBY otp:1 1 482913',
    'PFADD otp:1 482913',
    'XADD otp:1 * code 482913',
    'PUBLISH otp 482913',
    'AUTH 482913',
    'SSCAN otp:used 0 MATCH 482913',
    'HSCAN otp:1 0 COUNT 10 match 482913',
    'SORT otp:used BY nosort GET 482913',
  ])('hides the value of %s', async (call) => {
    expect(await line(...call.split(' '))).not.toContain('482913');
  });

  it('masks what a key holds in its name', async () => {
    const shown = await line('get', `session:42:${JWT}`);
    expect(shown).not.toContain(JWT.slice(0, 12));
    expect((await show('get', `session:42:${JWT}`)).families).toHaveLength(1);
  });

  it('of an unknown command is its beginning without secrets, and hides all arguments', async () => {
    const { command, keys, shown } = await show(JWT, 'hunter2');
    expect(command).not.toContain(JWT.slice(8, 20).toUpperCase());
    expect([keys, shown.map(({ text }) => text)]).toEqual([null, ['•••']]);
  });

  it('says how many arguments there were, and shows the first ones', async () => {
    const {
      shown,
      arguments: count,
      keys,
    } = await show('mget', ...Array.from({ length: 500 }, (_, i) => `k${i}`));
    expect([shown.length, count, keys]).toEqual([16, 500, 500]);
  });
});
