import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { getKey } from '@/lib/keys/get';
import { keyContracts } from '@/lib/keys/schema';
import { family } from '@/lib/keyspace/family';
import { plainText } from '@/lib/keyspace/grammar';
import { createRegistry } from '@/lib/keyspace/registry';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { listCounters } from './reads';
import { counterContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  forget('role keys');
  await test.empty();
});
afterAll(() => test.close());

const list = async (raw: object = {}) => {
  const { input, result } = counterContracts.list;
  return result.parse(await listCounters(test.ctx, input.parse(raw)));
};
const one = async (key: string) => (await list()).items.find((item) => item.key === key)!;

it('reads numbers as they are stored', async () => {
  await test.redis.mset({
    'counter:a': '42',
    'counter:big': '9223372036854775807',
    'counter:float': '-1.5',
    'counter:exp': '1e400',
  });
  const { items } = await list({ kind: 'count' });
  expect(items.map(({ name, digits, number }) => [name, digits, number])).toEqual([
    ['a', '42', 42],
    ['big', '9223372036854775807', Number('9223372036854775807')],
    ['exp', '1e400', null],
    ['float', '-1.5', -1.5],
  ]);
  expect(items[0]).toMatchObject({ kind: 'count', problem: null, text: null, bytes: 2, bitsSet: null });
});

it('shows the beginning of what is no number', { tags: ['long'] }, async () => {
  await test.redis.mset({ 'counter:text': 'not a number', 'counter:nan': 'nan', 'counter:empty': '' });
  await test.redis.set('counter:long', `1${'0'.repeat(10 * 2 ** 20)}`);
  await test.redis.set('counter:binary', Buffer.from([0xff, 0xfe]));
  for (const name of ['text', 'nan', 'empty', 'long', 'binary']) {
    const counter = await one(`counter:${name}`);
    expect([name, counter.number, counter.digits, counter.problem]).toEqual([name, null, null, 'notANumber']);
  }
  expect((await one('counter:text')).text).toMatchObject({ text: 'not a number', bytes: 12 });
  const { text, bytes } = await one('counter:long');
  expect([text!.text!.length, text!.truncated, bytes]).toEqual([256, true, 10 * 2 ** 20 + 1]);
});

it('counts the bits of bitmaps, of large ones in the first MiB', async () => {
  await test.redis.setbit('bitmap:small', 10, 1);
  await test.redis.setbit('bitmap:small', 100, 1);
  await test.redis.set('bitmap:none', Buffer.alloc(3));
  await test.redis.setbit('bitmap:large', 5, 1);
  await test.redis.setbit('bitmap:large', 100 * 2 ** 20, 1);
  expect(await one('bitmap:small')).toMatchObject({
    kind: 'bitmap',
    bitsSet: 2,
    bits: 104,
    firstSetBit: 10,
    bitsArePartial: false,
    bytes: 13,
  });
  expect(await one('bitmap:none')).toMatchObject({ bitsSet: 0, bits: 24, firstSetBit: null });
  expect(await one('bitmap:large')).toMatchObject({ bitsSet: 1, bitsArePartial: true, firstSetBit: 5 });
});

it('estimates HyperLogLogs without changing them', async () => {
  const users = Array.from({ length: 5000 }, (_, i) => `user-${i}`);
  await test.redis.pfadd('hll:dense', ...users);
  await test.redis.pfadd('hll:sparse', 'a', 'b', 'c');
  await test.redis.set('hll:text', 'x');
  await test.redis.set('hll:damaged', `HYLL${'\0'.repeat(20)}`);
  const before = await test.redis.dump('hll:dense');
  const { cardinality } = await one('hll:dense');
  expect(Math.abs(cardinality! - 5000) / 5000).toBeLessThan(0.03);
  expect(await one('hll:sparse')).toMatchObject({ kind: 'hyperloglog', cardinality: 3, problem: null });
  expect(await test.redis.dump('hll:dense')).toBe(before);
  expect(await one('hll:text')).toMatchObject({ cardinality: null, problem: 'notAHyperLogLog' });
  expect(await one('hll:damaged')).toMatchObject({ cardinality: null, problem: 'damaged' });
  expect(cardinality).toBe(await test.redis.pfcount('hll:dense'));
});

it('says when a key has another type, and leaves out what is gone', async () => {
  await test.redis.rpush('counter:list', 'x');
  await test.redis.set('counter:gone', '1');
  expect((await list()).total).toBe(2);
  await test.redis.del('counter:gone');
  const { items } = await list();
  expect(items.map(({ name, type, problem }) => [name, type, problem])).toEqual([
    ['list', 'list', 'wrongType'],
  ]);
});

it('leaves out what is gone between two reads', async () => {
  await test.redis.set('counter:gone', '1');
  await test.redis.pfadd('hll:gone', 'a');
  await test.redis.set('counter:left', '1');
  const { reader } = test.ctx;
  const late = {
    ...reader,
    getString: (async (key, max) => {
      await test.redis.del('counter:gone', 'hll:gone');
      return reader.getString(key, max);
    }) as typeof reader.getString,
  };
  const { items } = await listCounters({ ...test.ctx, reader: late }, { limit: 10 });
  expect(items.map(({ key }) => key)).toEqual(['counter:left']);
});

it('shows no value that the catalog calls secret', async () => {
  const secret = (name: string, role: 'count' | 'bitmap' | 'hyperloglog') =>
    family({
      id: `shop.${name}`,
      pattern: `${name}:{id}`,
      params: { id: plainText },
      type: 'string',
      ttl: 'any',
      role,
      sensitiveValue: true,
      title: name,
      purpose: name,
      examples: [`${name}:1`],
    });
  const catalog = createRegistry([
    secret('pin', 'count'),
    secret('marks', 'bitmap'),
    secret('seen', 'hyperloglog'),
  ]);
  await test.redis.set('pin:1', '4711');
  await test.redis.set('pin:2', 'word');
  await test.redis.setbit('marks:1', 7, 1);
  await test.redis.pfadd('seen:1', 'a');
  const { items } = await listCounters({ ...test.ctx, catalog }, { limit: 10 });
  expect(items.map(({ key, bytes }) => [key, bytes === null ? null : Math.min(bytes, 9)])).toEqual([
    ['marks:1', 1],
    ['pin:1', 4],
    ['pin:2', 4],
    ['seen:1', 9],
  ]);
  for (const item of items)
    expect(item).toMatchObject({
      number: null,
      digits: null,
      bitsSet: null,
      bits: null,
      firstSetBit: null,
      cardinality: null,
      problem: null,
      text: { text: null, base64: null, masked: true },
    });
});

it('are shown as what they are in the key inspector too', async () => {
  await test.redis.setbit('bitmap:text', 1, 1);
  await test.redis.pfadd('hll:v', 'a');
  await test.redis.set('counter:n', '7');
  const string = async (key: string) => {
    const keyId = Buffer.from(key).toString('base64url');
    return (await getKey(test.ctx, keyContracts.get.input.parse({ keyId }))).string!;
  };
  // One byte, "@": also a letter.
  expect(await string('bitmap:text')).toMatchObject({ kind: 'bitmap', bitsSet: 1 });
  expect(await string('hll:v')).toMatchObject({ kind: 'hyperloglog', cardinality: 1 });
  expect(await string('counter:n')).toMatchObject({ kind: 'number' });
});
