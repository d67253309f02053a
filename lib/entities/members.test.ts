import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { type Contained, containsMany } from './contains';
import { memberPage, readShapes } from './members';

const ODD = Buffer.from([0xff, 0x00, 0x5b]);
const LONG = 'm'.repeat(10_240);

let test: TestContext;
const key = (name: string) => Buffer.from(name);
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`);

/** All members, page by page. */
const allOf = async (name: string, type: string, limit = 90): Promise<string[]> => {
  const found: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 100; pages++) {
    const { members, next } = await memberPage(test.ctx, key(name), type, { cursor, limit });
    found.push(...members.map(({ bytes }) => bytes.toString('latin1')));
    if (next === null) return found;
    cursor = next;
  }
  return expect.fail('pages never end');
};

describe.each(BOTH_WAYS)('members, %s', (_, redisArgs) => {
  beforeAll(async () => {
    test = await testContext({ apps: ['qianxun'], redisArgs });
    test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  it('are counted by what is stored, whatever that is', async () => {
    const { redis } = test;
    await redis.sadd('set', 'a', 'b');
    await redis.zadd('zset', 1, 'a');
    await redis.rpush('list', 'a', 'a', 'a');
    await redis.hset('hash', { a: '1' });
    await redis.set('array', '[1, "2", {"id": 3, "title": "x"}]');
    await redis.set('text', 'seven');
    await redis.set('broken', '[1, 2');
    await redis.set('large', `[${numbers(80_000).join()}]`);
    await redis.xadd('stream', '*', 'a', 'b');
    const names = ['set', 'zset', 'list', 'hash', 'array', 'text', 'broken', 'large', 'stream', 'gone'];
    const shapes = await readShapes(test.ctx, names.map(key));
    expect(shapes.map(({ type, count, fault }) => [type, count, fault])).toEqual([
      ['set', 2, null],
      ['zset', 1, null],
      ['list', 3, null],
      ['hash', 1, 'wrongType'],
      ['string', 3, null],
      ['string', null, 'wrongType'],
      ['string', null, 'wrongType'],
      ['string', null, 'unreadable'],
      ['stream', null, 'wrongType'],
      ['none', 0, null],
    ]);
  });

  it('are complete and without repetition, page by page', { tags: ['long'] }, async () => {
    const { redis } = test;
    const [many, few] = [numbers(1500), numbers(100)];
    await redis.sadd('set', ...many.map((n) => `m${n}`));
    await redis.sadd('compact', ...few);
    await redis.zadd('zset', ...many.flatMap((n) => [n, n]));
    await redis.rpush('list', ...many);
    await redis.set('array', JSON.stringify(few.map(Number)));
    expect((await allOf('set', 'set')).sort()).toEqual(many.map((n) => `m${n}`).sort());
    expect((await allOf('compact', 'set', 20)).sort()).toEqual([...few].sort());
    expect(await allOf('zset', 'zset')).toEqual(many);
    expect(await allOf('list', 'list')).toEqual(many);
    expect(await allOf('array', 'string', 30)).toEqual(few);
    await redis.set('array', '[1189723456789012481,{"id":1189723456789012482},{"x":1189723456789012483}]');
    expect(await allOf('array', 'string', 30)).toEqual([
      '1189723456789012481',
      '1189723456789012482',
      '{"x":1189723456789012483}',
    ]);
    for (const [name, type] of [['zset', 'zset'] as const, ['list', 'list'] as const]) {
      const whole = await memberPage(test.ctx, key(name), type, { cursor: `${type}.1490`, limit: 10 });
      expect([whole.members.length, whole.next]).toEqual([10, null]);
    }
  });

  it('are any bytes, long ones cut, with the score as Redis writes it', async () => {
    await test.redis.zadd('zset', 0.5, ODD, 'inf', LONG);
    const { members } = await memberPage(test.ctx, key('zset'), 'zset', { limit: 10 });
    expect(members.map(({ bytes, length, score }) => [bytes.length, length, score])).toEqual([
      [3, 3, '0.5'],
      [8192, 10_240, 'inf'],
    ]);
    expect(members[0]!.bytes).toEqual(ODD);
    await test.redis.sadd('set', ODD, LONG);
    const page = await memberPage(test.ctx, key('set'), 'set', { limit: 10 });
    expect(page.members.map(({ length }) => length).sort()).toEqual([10_240, 3]);
  });

  it('have cursors of their type and of their server process only', async () => {
    await test.redis.sadd('key', ...numbers(1500));
    const { next } = await memberPage(test.ctx, key('key'), 'set', { limit: 10 });
    expect(next).toMatch(/^set\./);
    for (const [type, cursor] of [
      ['zset', next!],
      ['set', 'zset.10'],
      ['zset', 'zset.x'],
      ['string', 'string.-1'],
    ] as const)
      expect(
        await problemOf(memberPage(test.ctx, key('key'), type, { cursor, limit: 10 })),
        cursor,
      ).toMatchObject({ code: 'cursor_expired' });
    await test.redis.del('key');
    await test.redis.rpush('key', 'a');
    expect(
      await problemOf(memberPage(test.ctx, key('key'), 'set', { cursor: next!, limit: 10 })),
    ).toMatchObject({ code: 'cursor_expired' });
    expect(await memberPage(test.ctx, key('key'), 'set', { limit: 10 })).toEqual({ members: [], next: null });
    await test.redis.del('key');
    await test.redis.sadd('key', ...numbers(1500));
    await test.restart();
    expect(
      await problemOf(memberPage(test.ctx, key('key'), 'set', { cursor: next!, limit: 10 })),
    ).toMatchObject({ code: 'cursor_expired' });
  });

  it('are searched in long arrays without a copy of each', { tags: 'long' }, async () => {
    const long = `[${'1,'.repeat(32_000)}2]`;
    const keys = Array.from({ length: 100 }, (_, i) => `array${i}`);
    await test.redis.mset(keys.flatMap((name) => [name, long]));
    const before = process.cpuUsage();
    const found = await containsMany(
      test.ctx,
      keys.map((name, i) => ({ key: key(name), member: i % 2 === 0 ? '2' : '3' })),
    );
    expect(found).toEqual(keys.map((_, i) => (i % 2 === 0 ? 'yes' : 'no')));
    // With a buffer for each of 3.2 million elements it takes several seconds.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5);
  });

  it('may be nested deeper than can be written', async () => {
    await test.redis.set('deep', `[1,${'['.repeat(20_000)}${']'.repeat(20_000)}]`);
    expect(await allOf('deep', 'string')).toEqual(['1', Buffer.from('[…]').toString('latin1')]);
    expect(await containsMany(test.ctx, [{ key: key('deep'), member: '1' }])).toEqual(['yes']);
  });

  it('are read few at a time where they are long', { tags: 'long' }, async () => {
    const big = (i: number) => `${i} ${'x'.repeat(2 ** 20)}`;
    for (let i = 0; i < 40; i++) {
      await test.redis.rpush('list', big(i));
      await test.redis.zadd('zset', i, big(i));
      await test.redis.sadd('set', big(i));
    }
    for (const type of ['list', 'zset']) {
      const { members } = await memberPage(test.ctx, key(type), type, { limit: 40 });
      expect(members.length).toBeLessThanOrEqual(8);
      const all = await allOf(type, type);
      expect(all.map((one) => Number.parseInt(one, 10))).toEqual(numbers(40).map(Number));
    }
    expect(new Set(await allOf('set', 'set')).size).toBe(40);
  });

  it('are found in keys of every type', async () => {
    const { redis } = test;
    await redis.sadd('set', 'a', ODD);
    await redis.zadd('zset', 1, 'a', 2, ODD);
    await redis.rpush('list', 'a', ODD);
    await redis.rpush('long', ...numbers(1200), 'a');
    await redis.set('array', '["a", 7, {"id": 8}]');
    await redis.set('text', 'a');
    await redis.set('large', JSON.stringify(['a', LONG.repeat(7)]));
    await redis.hset('hash', { a: '1' });
    const expected: [string, Buffer | string, Contained][] = [
      ['set', 'a', 'yes'],
      ['set', ODD, 'yes'],
      ['set', 'b', 'no'],
      ['zset', 'a', 'yes'],
      ['zset', ODD, 'yes'],
      ['zset', 'b', 'no'],
      ['list', 'a', 'yes'],
      ['list', ODD, 'yes'],
      ['list', 'b', 'no'],
      ['long', '999', 'yes'],
      ['long', 'a', 'unknown'],
      ['array', 'a', 'yes'],
      ['array', '7', 'yes'],
      ['array', '8', 'yes'],
      ['array', 'b', 'no'],
      ['text', 'a', 'unknown'],
      ['large', 'a', 'unknown'],
      ['hash', 'a', 'unknown'],
      ['gone', 'a', 'absent'],
    ];
    const pairs = expected.map(([name, member]) => ({ key: key(name), member }));
    const found = await containsMany(test.ctx, pairs);
    expect(found.map((one, i) => [...expected[i]!.slice(0, 2), one])).toEqual(expected);
    expect(await containsMany(test.ctx, [])).toEqual([]);
  });
});

describe('keys that our user may not read', () => {
  afterAll(() => test.close());

  it('are unreadable, and others are still read', async () => {
    test = await testContext({
      redisArgs: ['--user', 'keyward', 'on', '>pw', '+@all', '~open*'],
      user: 'keyward:pw',
    });
    await test.redis.sadd('open', 'a');
    await test.redis.sadd('closed', 'a');
    const shapes = await readShapes(test.ctx, [key('closed'), key('open')]);
    expect(shapes).toEqual([
      { type: 'unreadable', count: null, fault: 'unreadable' },
      { type: 'set', count: 1, fault: null },
    ]);
    const pairs = ['closed', 'open'].map((name) => ({ key: key(name), member: 'a' }));
    expect(await containsMany(test.ctx, pairs)).toEqual(['unknown', 'yes']);
  });
});
