import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const key = Buffer.from('key');
const bytes = (text: string) => Buffer.from(text);
const set = (expected: string | null, next: string | null) =>
  test.ctx.writer.compareAndSet(
    key,
    expected === null ? null : bytes(expected),
    next === null ? null : bytes(next),
  );

describe('compare-and-set', () => {
  it('changes what is as expected, and says what stood in the way otherwise', async () => {
    await test.redis.set('key', 'old');
    expect(await set('other', 'new')).toEqual({ ok: false, reason: 'changed', present: bytes('old') });
    expect(await test.redis.get('key')).toBe('old');
    expect(await set('old', 'new')).toEqual({ ok: true });
    expect(await test.redis.get('key')).toBe('new');
  });

  it('creates only what is absent', async () => {
    expect(await set('old', 'new')).toEqual({ ok: false, reason: 'changed', present: null });
    expect(await test.redis.exists('key')).toBe(0);
    expect(await set(null, 'first')).toEqual({ ok: true });
    expect(await set(null, 'second')).toEqual({ ok: false, reason: 'changed', present: bytes('first') });
    expect(await test.redis.get('key')).toBe('first');
  });

  it('deletes only what is as expected', async () => {
    await test.redis.set('key', 'old');
    expect(await set('other', null)).toEqual({ ok: false, reason: 'changed', present: bytes('old') });
    expect(await set('old', null)).toEqual({ ok: true });
    expect(await test.redis.exists('key')).toBe(0);
    expect(await set(null, null)).toEqual({ ok: true });
    expect(await test.redis.exists('key')).toBe(0);
  });

  it('tells an empty string from an absent one', async () => {
    expect(await set(null, '')).toEqual({ ok: true });
    expect(await test.redis.get('key')).toBe('');
    expect(await set(null, 'x')).toEqual({ ok: false, reason: 'changed', present: Buffer.alloc(0) });
    expect(await set('', 'x')).toEqual({ ok: true });
    expect(await set('x', '')).toEqual({ ok: true });
    expect(await test.redis.exists('key')).toBe(1);
  });

  it('leaves another type alone', async () => {
    await test.redis.sadd('key', 'member');
    for (const expected of ['x', null])
      for (const next of ['y', null])
        expect(await set(expected, next)).toEqual({ ok: false, reason: 'wrong-type', present: null });
    expect(await test.redis.smembers('key')).toEqual(['member']);
  });

  it('keeps the TTL, and the lack of one', async () => {
    await test.redis.set('key', 'old', 'EX', 500);
    await set('old', 'new');
    expect(await test.redis.ttl('key')).toBeGreaterThan(490);
    await test.redis.persist('key');
    await set('new', 'newer');
    expect(await test.redis.ttl('key')).toBe(-1);
  });

  it('lets exactly one of many at once win', async () => {
    await test.redis.set('key', 'old');
    const tries = Array.from({ length: 50 }, (_, i) => set('old', `new-${i}`));
    const won = (await Promise.all(tries)).flatMap((result, i) => (result.ok ? [i] : []));
    expect(won).toHaveLength(1);
    expect(await test.redis.get('key')).toBe(`new-${won[0]}`);
  });
});

it('tries all of many commands, and reports a refusal', async () => {
  await test.redis.set('string', 'x');
  await expect(
    test.ctx.writer.writeMany([
      ['SADD', bytes('a'), 'm'],
      ['SADD', bytes('string'), 'm'],
      ['SADD', bytes('b'), 'm'],
    ]),
  ).rejects.toThrow(/^WRONGTYPE/);
  expect(await test.redis.exists('a', 'b')).toBe(2);
});

it('loads a script again after the server forgot it', async () => {
  await test.redis.set('key', 'old');
  await set('old', 'new');
  await test.redis.script('FLUSH');
  expect(await set('new', 'newer')).toEqual({ ok: true });
});
