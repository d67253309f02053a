import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { scanKeys } from './scan';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

/** Every byte there is, and what a decoder could trip over: no UTF-8, a NUL, line ends. */
const ODD_KEYS = [
  Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\u{fffd}'),
  Buffer.from('a b"\'\\*?[x]'),
];

const hex = (buffers: readonly Buffer[]): string[] => buffers.map((b) => b.toString('hex')).sort();

const scanned = async (): Promise<Buffer[]> => {
  const found: Buffer[] = [];
  for await (const { keys } of scanKeys(test.handle)) found.push(...keys);
  return found;
};

describe('bytes', () => {
  it('reach the server and come back unchanged: keys, values, fields, members', async () => {
    const { reader, writer } = test.ctx;
    for (const key of ODD_KEYS) {
      expect(await writer.compareAndSet(key, null, key)).toEqual({ ok: true });
      const value = await reader.getString(key);
      expect(value?.bytes.equals(key)).toBe(true);
    }
    expect(hex(await scanned())).toEqual(hex(ODD_KEYS));
    expect(hex(await test.redis.keysBuffer('*'))).toEqual(hex(ODD_KEYS));
    for (const key of ODD_KEYS) expect(await writer.write(['UNLINK', key])).toBe(1);
    expect(await test.redis.dbsize()).toBe(0);
  });

  it('stay what they are inside collections', async () => {
    const { reader, writer } = test.ctx;
    const [key, hash] = [ODD_KEYS[1]!, ODD_KEYS[0]!];
    await writer.write(['SADD', key, ...ODD_KEYS]);
    for (const odd of ODD_KEYS) await writer.write(['HSET', hash, odd, odd]);
    expect(await reader.read(['SMISMEMBER', key, ...ODD_KEYS])).toEqual(ODD_KEYS.map(() => 1));
    const values = await reader.read(['HMGET', hash, ...ODD_KEYS]);
    expect(values.map((value) => value?.toString('hex'))).toEqual(ODD_KEYS.map((odd) => odd.toString('hex')));
    const page = await reader.scanCollection('SSCAN', key, '0');
    expect(hex(page.elements)).toEqual(hex(ODD_KEYS));
    const fields = await reader.scanCollection('HSCAN', hash, '0');
    expect(hex(fields.elements)).toEqual(hex([...ODD_KEYS, ...ODD_KEYS]));
    const some = await reader.scanCollection('SSCAN', key, '0', { match: Buffer.from([0xff, 0x2a]) });
    expect(hex(some.elements)).toEqual(hex([ODD_KEYS[1]!]));
  });
});

describe('strings', () => {
  it('tells an empty string from a missing key', async () => {
    await test.redis.set('empty', '');
    expect(await test.ctx.reader.getString(Buffer.from('empty'))).toEqual({
      bytes: Buffer.alloc(0),
      length: 0,
    });
    expect(await test.ctx.reader.getString(Buffer.from('missing'))).toBeNull();
  });

  it('reads no more than asked for, down to nothing, and knows the whole length', async () => {
    await test.redis.set('long', 'x'.repeat(5000));
    const at = Buffer.from('long');
    expect(await test.ctx.reader.getString(at, 10)).toEqual({
      bytes: Buffer.from('x'.repeat(10)),
      length: 5000,
    });
    expect(await test.ctx.reader.getString(at, 1)).toEqual({ bytes: Buffer.from('x'), length: 5000 });
    expect(await test.ctx.reader.getString(at, 0)).toEqual({ bytes: Buffer.alloc(0), length: 5000 });
    expect((await test.ctx.reader.getString(at))?.bytes.length).toBe(5000);
  });

  it('names the wrong type, in a batch without spoiling the others', async () => {
    await test.redis.sadd('set', 'a');
    await test.redis.set('string', 'b');
    const [wrong, right, none] = await test.ctx.reader.getStrings(
      ['set', 'string', 'missing'].map((name) => Buffer.from(name)),
    );
    expect(wrong).toBeInstanceOf(Error);
    expect((wrong as Error).message).toMatch(/^WRONGTYPE/);
    expect(right).toEqual({ bytes: Buffer.from('b'), length: 1 });
    expect(none).toBeNull();
    await expect(test.ctx.reader.getString(Buffer.from('set'))).rejects.toThrow(/^WRONGTYPE/);
    await expect(test.ctx.reader.read(['HLEN', Buffer.from('set')])).rejects.toThrow(/^WRONGTYPE/);
  });
});

it('keeps the order of a batch that takes several round trips', async () => {
  await test.redis.mset(
    Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`n:${i}`, 'x'.repeat(i % 7)])),
  );
  const commands = Array.from({ length: 2500 }, (_, i) => ['STRLEN', Buffer.from(`n:${i}`)] as const);
  expect(await test.ctx.reader.readMany(commands)).toEqual(commands.map((_, i) => i % 7));
  expect(await test.ctx.reader.readMany([])).toEqual([]);
  expect(await test.ctx.reader.size()).toBe(2500);
});

it('decodes what is text and leaves the rest as it came', async () => {
  await test.redis.hset('hash', 'f', 'v');
  const at = Buffer.from('hash');
  expect(await test.ctx.reader.read(['TYPE', at])).toBe('hash');
  expect(await test.ctx.reader.read(['OBJECT ENCODING', at])).toMatch(/^(listpack|ziplist)$/);
  expect(await test.ctx.reader.read(['OBJECT ENCODING', Buffer.from('missing')])).toBeNull();
  expect(await test.ctx.reader.read(['PTTL', at])).toBe(-1);
  expect(await test.ctx.reader.read(['PTTL', Buffer.from('missing')])).toBe(-2);
  expect(await test.ctx.reader.read(['MEMORY USAGE', at])).toBeGreaterThan(0);
  expect(await test.ctx.reader.read(['HGET', at, 'none'])).toBeNull();
});
