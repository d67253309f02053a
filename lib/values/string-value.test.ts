import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { readValue, readValues, textOf } from './string-value';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const key = (name: string) => Buffer.from(name);

it('distinguishes strings, other types, the empty string and missing keys', async () => {
  await test.redis.set('text', 'on', 'EX', 100);
  await test.redis.set('empty', '');
  await test.redis.hset('hash', 'a', '1');
  const [text, empty, hash, none] = await readValues(
    test.ctx.reader,
    ['text', 'empty', 'hash', 'no'].map(key),
  );
  expect(text).toMatchObject({ type: 'string', length: 2, ttlSeconds: 100, bytes: Buffer.from('on') });
  expect(empty).toMatchObject({ type: 'string', length: 0, ttlSeconds: null });
  expect(hash).toMatchObject({ type: 'hash', length: 0, bytes: Buffer.alloc(0) });
  expect(none).toBeNull();
  expect(new Set([text, empty, hash].map((value) => value?.etag)).size).toBe(3);
});

it('reads no more than requested and still detects a change of length', async () => {
  await test.redis.set('big', 'x'.repeat(2_000_000));
  const before = await readValue(test.ctx.reader, key('big'), 1000);
  expect(before).toMatchObject({ length: 2_000_000 });
  expect(before?.bytes.length).toBe(1000);
  await test.redis.append('big', 'x');
  expect((await readValue(test.ctx.reader, key('big'), 1000))?.etag).not.toBe(before?.etag);
});

it('gives equal values equal etags, whatever the key', async () => {
  await test.redis.set('a', 'true');
  await test.redis.set('b', 'true');
  const [a, b] = await readValues(test.ctx.reader, [key('a'), key('b')]);
  expect(a?.etag).toBe(b?.etag);
  await test.redis.set('a', 'True');
  expect((await readValue(test.ctx.reader, key('a')))?.etag).not.toBe(b?.etag);
});

it('reads text strictly', () => {
  expect(textOf(Buffer.from('да'))).toBe('да');
  expect(textOf(Buffer.from([0xff]))).toBeNull();
});
