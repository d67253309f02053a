import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import type { Edit } from './writer';

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

describe('several edits at once', () => {
  const is = (text: string) => ({ type: 'string', length: text.length, bytes: bytes(text) });
  const applyAll = (...edits: Edit[]) => test.ctx.writer.applyAll(edits);

  it('are all applied while all fit', async () => {
    await test.redis.mset({ a: 'old', b: 'old' });
    await test.redis.pexpire('a', 500_000);
    const done = await applyAll(
      { key: bytes('a'), expected: is('old'), change: { set: bytes('new') } },
      { key: bytes('b'), expected: is('old'), change: 'delete' },
      { key: bytes('c'), expected: null, change: { set: bytes('made'), ttlMs: 60_000 } },
    );
    expect(done).toEqual({ ok: true });
    expect(await test.redis.mget('a', 'b', 'c')).toEqual(['new', null, 'made']);
    expect(await test.redis.pttl('a')).toBeGreaterThan(400_000);
    expect(await test.redis.pttl('c')).toBeLessThanOrEqual(60_000);
  });

  it.each<[string, Edit, string]>([
    ['changed', { key: bytes('b'), expected: is('other'), change: 'delete' }, 'string'],
    ['is longer than was read', { key: bytes('b'), expected: is('ol'), change: 'delete' }, 'string'],
    ['is gone', { key: bytes('gone'), expected: is('old'), change: 'delete' }, 'none'],
    ['is there already', { key: bytes('b'), expected: null, change: { set: bytes('x') } }, 'string'],
    ['is of another type', { key: bytes('set'), expected: is('old'), change: { set: bytes('x') } }, 'set'],
  ])('change nothing where one %s', async (_, wrong, present) => {
    await test.redis.mset({ a: 'old', b: 'old' });
    await test.redis.sadd('set', 'm');
    const first: Edit = { key: bytes('a'), expected: is('old'), change: { set: bytes('new') } };
    expect(await applyAll(first, wrong)).toEqual({ ok: false, index: 1, present });
    expect(await test.redis.mget('a', 'b')).toEqual(['old', 'old']);
  });

  it('rename with value and TTL, whatever the type, only to a name that is free', async () => {
    await test.redis.set('a', 'x'.repeat(100_000), 'EX', 500);
    const head = { type: 'string', length: 100_000, bytes: bytes('xxx') };
    const rename = (to: string, expected = head) =>
      applyAll(
        { key: bytes('a'), expected, change: 'keep' },
        { key: bytes(to), expected: null, change: { renameFrom: 0 } },
      );
    await test.redis.set('taken', '1');
    expect(await rename('taken')).toEqual({ ok: false, index: 1, present: 'string' });
    expect(await rename('b')).toEqual({ ok: true });
    expect([await test.redis.exists('a'), await test.redis.strlen('b')]).toEqual([0, 100_000]);
    expect(await test.redis.ttl('b')).toBeGreaterThan(490);
    await test.redis.hset('a', 'f', '1');
    expect(await rename('c', { type: 'hash', length: 0, bytes: bytes('') })).toEqual({ ok: true });
    expect(await test.redis.hget('c', 'f')).toBe('1');
  });

  it('are counted as the server counts them', async () => {
    await test.redis.mset({ a: 'old', empty: '' });
    await test.redis.sadd('set', 'm');
    const counters = async () => {
      const info = await test.redis.info('stats');
      return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
    };
    const before = [await counters(), test.handle.own.snapshot()] as const;
    await applyAll(
      { key: bytes('a'), expected: is('old'), change: 'keep' },
      { key: bytes('empty'), expected: is(''), change: { set: bytes('x') } },
      { key: bytes('set'), expected: { type: 'set', length: 0, bytes: bytes('') }, change: 'delete' },
      { key: bytes('new'), expected: null, change: { set: bytes('x') } },
    );
    const [hits, misses] = await counters();
    const own = test.handle.own.snapshot();
    expect([own.hits - before[1].hits, own.misses - before[1].misses]).toEqual([
      hits! - before[0][0]!,
      misses! - before[0][1]!,
    ]);
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

it('deletes many keys of any bytes at once, and counts them as the server does', async () => {
  const key = (i: number) => Buffer.concat([bytes(`key:${i}:`), Buffer.from([0, 0, 0, i & 255, 0xff])]);
  const keys = Array.from({ length: 1203 }, (_, i) => key(i));
  await test.redis.mset(keys.flatMap((one) => [one, 'x']));
  await test.redis.sadd(key(9999), 'm');
  await test.redis.set('other', 'x');
  await test.ctx.writer.unlink([bytes('nothing')]);
  const commands = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
  const [before, own] = [await commands(), test.handle.own.snapshot()];
  expect(await test.ctx.writer.unlink([...keys.slice(3), bytes('gone'), key(9999)])).toBe(1201);
  // The look at the server's counter is one of the commands it counts.
  expect((await commands()) - before - 1).toBe(test.handle.own.snapshot().commands - own.commands);
  expect(test.handle.own.snapshot()).toMatchObject({ hits: own.hits, misses: own.misses });
  expect((await test.redis.keysBuffer('*')).sort(Buffer.compare)).toEqual([
    ...keys.slice(0, 3),
    bytes('other'),
  ]);
  expect(await test.ctx.writer.unlink([])).toBe(0);
});

it('loads a script again after the server forgot it', async () => {
  await test.redis.set('key', 'old');
  await set('old', 'new');
  await test.redis.script('FLUSH');
  expect(await set('new', 'newer')).toEqual({ ok: true });
});
