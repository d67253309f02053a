import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readEtag } from '@/lib/key-values/etag';
import { contentArg, look, NOTHING_ELSE } from '@/lib/key-values/look';
import { moveKey } from '@/lib/snapshots/move-key';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf } from '@/scripts/testing/this-redis';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  await test.redis.acl('SETUSER', 'default', '-copy');
});
afterEach(() => test.redis.acl('SETUSER', 'default', '+@all'));
afterAll(() => test.close());

const copyTo = async (name: string, what: 'copy' | 'rename' = 'copy') => {
  const from = Buffer.from('shop:a');
  const { state } = await look(test.ctx, from, NOTHING_ELSE);
  const to = Buffer.from(name);
  return moveKey(test.ctx, what, { from, to, type: state.type, content: contentArg(state) });
};

const TYPES: Record<string, () => Promise<unknown>> = {
  string: () => test.redis.set('shop:a', 'x'),
  hash: () => test.redis.hset('shop:a', { a: '1' }),
  list: () => test.redis.rpush('shop:a', 'x', 'y'),
  set: () => test.redis.sadd('shop:a', 'x', '5'),
  zset: () => test.redis.zadd('shop:a', 1, 'x'),
  stream: () => test.redis.xadd('shop:a', '1-1', 'a', 'b'),
};

// COPY refuses keys of modules, which no server here has; one that our user may not COPY goes the same way.
it.each(Object.keys(TYPES))('a %s that the server does not COPY is copied with its TTL', async (type) => {
  await TYPES[type]!();
  await test.redis.pexpire('shop:a', 900_000);
  expect(await copyTo('shop:b')).toBe('done');
  const etags = await Promise.all(['shop:a', 'shop:b'].map((key) => readEtag(test.ctx, Buffer.from(key))));
  expect(await expiryOf(test.redis, 'shop:b')).toBeCloseTo(await expiryOf(test.redis, 'shop:a'), -2);
  expect(await test.redis.type('shop:b')).toBe(type);
  expect(etags.every((etag) => etag !== null)).toBe(true);
  expect(await copyTo('shop:b')).toBe('taken');
});

it('where it may not be restored either, the refusal is that of COPY', async () => {
  await test.redis.set('shop:a', 'x');
  await test.redis.acl('SETUSER', 'default', '-restore');
  expect(await problemOf(copyTo('shop:b'))).toMatchObject({ code: 'not_permitted' });
  expect(await test.redis.exists('shop:b')).toBe(0);
});
