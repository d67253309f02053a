import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { configure, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { cutOf, elementIdOf, readEtag } from './etag';
import { readKeyState } from './key-state';

const odd = Buffer.from([0xff, 0, 0x0a, 0x3a]);
const digests: Record<string, string[]> = {};

describe.each(BOTH_WAYS)('%s', (name, redisArgs) => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ redisArgs });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const etag = (key: string) => readEtag(test.ctx, Buffer.from(key));
  const fill = async (): Promise<void> => {
    const { redis } = test;
    await redis.set('string', odd);
    await redis.set('empty', '');
    await redis.hset('hash', { a: '1', b: odd });
    await redis.hset('wide', Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, `v${i}`])));
    await redis.rpush('list', 'a', 'b', odd);
    await redis.sadd('set', 'a', 'b', odd);
    await redis.sadd('ints', 1, 2, 3);
    await redis.zadd('zset', 1.5, 'a', Infinity, 'b', 0.1, odd);
    await redis.xadd('stream', '1-1', 'f', odd);
    await redis.xadd('stream', '1-2', 'f', '1', 'g', '2');
  };
  const KEYS = ['string', 'empty', 'hash', 'wide', 'list', 'set', 'ints', 'zset', 'stream'];

  it('covers the complete content of each type, whatever its order, and nothing else', async () => {
    const { redis } = test;
    await fill();
    const before = await Promise.all(KEYS.map(etag));
    digests[name] = await Promise.all(
      KEYS.map(async (key) => (await readKeyState(test.ctx, Buffer.from(key)))!.digest),
    );
    expect(new Set(before).size).toBe(KEYS.length);
    // A TTL and another encoding with another order change nothing.
    await redis.expire('hash', 100);
    await redis.del('set', 'ints');
    await configure(redis, { 'set-max-intset-entries': 1, 'hash-max-ziplist-entries': 1 });
    await redis.sadd('set', odd, 'b', 'a');
    await redis.sadd('ints', 3, 2, 1);
    await redis.hset('hash', { b: odd, a: '1' });
    expect(await Promise.all(KEYS.map(etag))).toEqual(before);
    // A single byte does.
    await redis.set('string', odd.subarray(1));
    await redis.set('empty', '0');
    await redis.hset('hash', 'a', '2');
    await redis.hset('wide', 'f899', 'V899');
    await redis.lset('list', 1, 'c');
    await redis.srem('set', odd);
    await redis.srem('ints', 1);
    await redis.zincrby('zset', 0.25, 'a');
    await redis.xdel('stream', '1-1');
    const after = await Promise.all(KEYS.map(etag));
    for (const [i, key] of KEYS.entries()) expect(after[i], key).not.toBe(before[i]);
    expect(await etag('missing')).toBeNull();
  });

  it('covers type and length of what is large, without reading it', async () => {
    const { redis } = test;
    await redis.set('big', 'x'.repeat(2 ** 20 + 1));
    await redis.rpush('many', ...Array.from({ length: 1001 }, (_, i) => `${i}`));
    await redis.hset('heavy', { small: 'x', large: 'x'.repeat(2 ** 20) });
    const before = await Promise.all(['big', 'many', 'heavy'].map(etag));
    await redis.setrange('big', 5, 'yyy');
    await redis.lset('many', 5, 'other');
    await redis.hset('heavy', 'small', 'y');
    expect(await Promise.all(['big', 'many', 'heavy'].map(etag))).toEqual(before);
    await redis.append('big', 'x');
    await redis.rpush('many', 'x');
    await redis.hset('heavy', 'more', 'x');
    const after = await Promise.all(['big', 'many', 'heavy'].map(etag));
    for (const [i, one] of before.entries()) expect(after[i]).not.toBe(one);
  });

  it('differs for equal values of two keys, and names the type', async () => {
    await test.redis.mset('a', 'same', 'b', 'same');
    expect(await etag('a')).not.toBe(await etag('b'));
    const before = await etag('a');
    await test.redis.del('a');
    await test.redis.rpush('a', 'same');
    expect(await etag('a')).not.toBe(before);
  });

  it('counts its look-ups', async () => {
    await fill();
    const counters = async () => {
      const info = await test.redis.info('stats');
      return ['hits', 'misses'].map((what) => Number(new RegExp(`keyspace_${what}:(\\d+)`).exec(info)![1]));
    };
    await Promise.all(KEYS.map(etag));
    const [own, before] = [test.handle.own.snapshot(), await counters()];
    for (const key of [...KEYS, 'missing']) await etag(key);
    const after = await counters();
    const { hits, misses } = test.handle.own.snapshot();
    expect([hits - own.hits, misses - own.misses]).toEqual(after.map((count, i) => count - before[i]!));
  });

  it('of an element changes with its value, place, score and key', () => {
    const [key, other] = [Buffer.from('k'), Buffer.from('l')];
    const value = cutOf(Buffer.from('v'));
    const ids = [
      elementIdOf(test.ctx, key, { index: 0, value }),
      elementIdOf(test.ctx, key, { index: 1, value }),
      elementIdOf(test.ctx, other, { index: 0, value }),
      elementIdOf(test.ctx, key, { field: value, value }),
      elementIdOf(test.ctx, key, { member: value }),
      elementIdOf(test.ctx, key, { member: value, score: '1' }),
      elementIdOf(test.ctx, key, { member: value, score: 'inf' }),
      elementIdOf(test.ctx, key, { entryId: '1-1' }),
      elementIdOf(test.ctx, key, { member: cutOf(Buffer.alloc(9000, 'v')) }),
      elementIdOf(test.ctx, key, { member: cutOf(Buffer.alloc(9001, 'v')) }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(elementIdOf(test.ctx, key, { member: value, score: '0.10000000000000001' })).toBe(
      elementIdOf(test.ctx, key, { member: value, score: '0.1' }),
    );
  });
});

it.skipIf(IS_REDIS_6)('is the same with scripts and with commands', () => {
  const [scripts, commands] = BOTH_WAYS.map(([name]) => digests[name]);
  expect(scripts).toEqual(commands);
  expect(scripts).not.toContain('');
});
