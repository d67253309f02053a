import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { decodeValue } from './decode';

const JSON_TEXT = JSON.stringify({ name: 'Ada', text: 'words and more words, '.repeat(40), n: [1, 2, 3] });
const decoded = async (bytes: Buffer, isCut = false) => {
  const value = await decodeValue(bytes, isCut);
  return value && { steps: value.steps.join(' '), text: value.bytes.toString(), truncated: value.truncated };
};

/** `zstd -19` and `lz4` of eight times "hello " and a line end. */
const ZSTD = Buffer.from('KLUv/SQxbQAAOGhlbGxvIAoBAAOVIuc+JdA=', 'base64');
const LZ4 = Buffer.from('BCJNGGRApxAAAABvaGVsbG8gBgATUGxsbyAKAAAAAGK3UlE=', 'base64');
const HELLO = `${'hello '.repeat(8)}\n`;

describe('a decoder', () => {
  it('undoes compression and packing', async () => {
    const text = Buffer.from(JSON_TEXT);
    for (const [steps, bytes] of [
      ['gzip', gzipSync(text)],
      ['zlib', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['brotli', brotliCompressSync(text)],
      ['base64', Buffer.from(text.toString('base64'))],
      ['base64 gzip', Buffer.from(gzipSync(text).toString('base64'))],
      ['gzip base64 zlib', gzipSync(Buffer.from(deflateSync(text).toString('base64url')))],
    ] as const)
      expect(await decoded(bytes)).toEqual({ steps, text: JSON_TEXT, truncated: false });
    expect(await decoded(ZSTD)).toEqual({ steps: 'zstd', text: HELLO, truncated: false });
    expect(await decoded(LZ4)).toEqual({ steps: 'lz4', text: HELLO, truncated: false });
  });

  it('writes MessagePack as JSON', async () => {
    const value = {
      a: [1, -1, 200, 70_000, 2 ** 40, -(2 ** 40), 1.5, true, false, null],
      'ключ "x"': 'знач',
      long: 'x'.repeat(70_000),
      many: Array.from({ length: 20 }, (_, i) => i),
      empty: {},
    };
    const out = await decoded(pack(value));
    expect(out?.steps).toBe('msgpack');
    expect(JSON.parse(out!.text)).toEqual(value);
    expect(JSON.parse((await decoded(pack({ b: Buffer.from([255, 1]) })))!.text)).toEqual({ b: '/wE=' });
  });

  it('writes MessagePack as it is stored: all digits, all keys, in order', async () => {
    const whole = { most: 2n ** 64n - 1n, least: -(2n ** 63n), odd: 2n ** 53n + 1n };
    expect((await decoded(pack(whole)))?.text).toBe(
      '{"most":18446744073709551615,"least":-9223372036854775808,"odd":9007199254740993}',
    );
    // {10: 1, 2: 2, "__proto__": 3, "a": 4, "a": 5}
    const keys = Buffer.from('850a010202a95f5f70726f746f5f5f03a16104a16105', 'hex');
    expect((await decoded(keys))?.text).toBe('{"10":1,"2":2,"__proto__":3,"a":4,"a":5}');
  });

  it('leaves everything else as it is', async () => {
    const php = 'a:1:{s:4:"name";O:8:"stdClass":0:{}}';
    for (const bytes of [
      ...[JSON_TEXT, php, '', 'accountsettings1', 'deadbeefdeadbeefdeadbeef', '1234567890123456'].map(
        (text) => Buffer.from(text),
      ),
      randomBytes(300),
      Buffer.alloc(50, 0xff),
      Buffer.from([0x80]),
    ])
      expect(await decodeValue(bytes)).toBeNull();
  });

  it('names a pickle and does not read it', async () => {
    const pickle = Buffer.from([0x80, 4, 0x95, 1, 0, 0, 0, 0, 0, 0, 0, 0x8c, 2, 0x6f, 0x73, 0x94, 0x2e]);
    expect(await decoded(pickle)).toEqual({ steps: 'pickle', text: '', truncated: false });
  });
});

describe('hostile input', () => {
  it('counts as cut where another frame follows the first', async () => {
    for (const frame of [ZSTD, LZ4])
      expect(await decodeValue(Buffer.concat([frame, frame]))).toMatchObject({ truncated: true });
  });

  it('counts as cut where it is encoded more often than is undone', async () => {
    const [thrice, more] = [1, 1].map((_, i) =>
      Array.from({ length: 3 + i }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('a secret')),
    );
    expect(await decodeValue(thrice!)).toMatchObject({ bytes: Buffer.from('a secret'), truncated: false });
    expect(await decodeValue(more!)).toMatchObject({ truncated: true });
  });

  it('gives at most 1 MiB, however much a bomb holds', { tags: 'long' }, async () => {
    const bomb = Buffer.alloc(128 * 2 ** 20);
    const zipped = gzipSync(bomb, { level: 1 });
    // Making them takes memory too, so it is measured afterwards.
    const bombs = [zipped, deflateSync(bomb, { level: 1 }), gzipSync(zipped)];
    const before = process.memoryUsage().rss;
    for (const bytes of bombs) {
      const value = await decodeValue(bytes);
      expect(value?.bytes.length).toBeLessThanOrEqual(2 ** 20);
      expect(value?.truncated).toBe(true);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  it('shows the beginning of what is cut or damaged behind it', async () => {
    const packed = gzipSync(randomBytes(20_000).toString('hex'));
    const cut = await decodeValue(packed.subarray(0, 8000), true);
    expect(cut?.bytes.length).toBeGreaterThan(5000);
    expect(cut?.truncated).toBe(true);
    packed.fill(0xaa, 12_000);
    expect((await decodeValue(packed))?.truncated).toBe(true);
  });

  it('never throws, whatever the bytes', { tags: ['long'] }, async () => {
    const seeds = [gzipSync(JSON_TEXT), deflateSync(JSON_TEXT), pack({ a: [1, { b: 'c' }] }), ZSTD, LZ4];
    for (let i = 0; i < 400; i++) {
      const bytes = Buffer.from(seeds[i % seeds.length]!);
      for (let n = 0; n < 1 + (i % 4); n++) bytes[(i * 31 + n * 7) % bytes.length] = (i * 17 + n) & 255;
      await decodeValue(bytes, i % 2 === 0);
      await decodeValue(bytes.subarray(0, i % bytes.length), i % 3 === 0);
    }
  });

  it('claims of sizes and depth cost nothing', { tags: ['long'] }, async () => {
    const started = performance.now();
    const nested = Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]);
    const deep = await decodeValue(nested);
    expect(deep?.bytes.toString()).toMatch(/^\[{1000}.*\]{1000}$/);
    for (const head of ['dd7fffffff', 'df7fffffff', 'dbffffffff', 'c9ffffffff00'])
      expect(await decodeValue(Buffer.concat(Array(20_000).fill(Buffer.from(head, 'hex'))))).toBeNull();
    // A frame that asks for a window of 2 GB.
    expect(
      await decodeValue(Buffer.concat([Buffer.from('28b52ffd00a8', 'hex'), Buffer.alloc(20)])),
    ).toBeNull();
    // Blocks of four bytes that stand for 128 KiB each.
    const block = Buffer.from([0x02, 0x00, 0x10, 0x61]);
    const blocks = Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), ...Array(60_000).fill(block)]);
    const rle = await decodeValue(blocks);
    expect([rle?.bytes.length, rle?.truncated]).toEqual([2 ** 20, true]);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('allocates for values that are there, not for those that nested arrays announce', async () => {
    const nested = Buffer.alloc(250_000, 0xdd);
    for (let at = 0; at < nested.length; at += 5) nested.writeUInt32BE(nested.length - at - 5, at + 1);
    const [before, started] = [process.memoryUsage().rss, performance.now()];
    expect(await decodeValue(nested)).toBeNull();
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('takes no MessagePack that is cut', { tags: ['long'] }, async () => {
    const bytes = pack({ list: [1, 2 ** 40, 1.5], text: 'x'.repeat(300), more: { b: Buffer.alloc(300) } });
    for (let length = 0; length < bytes.length; length++)
      expect((await decodeValue(bytes.subarray(0, length)))?.steps).not.toEqual(['msgpack']);
  });

  it('reads LZ4 as far as the limit, whatever it announces, and no match before the beginning', async () => {
    // Flags, block size, a content size of 2 GB, and a checksum that is not compared.
    const head = Buffer.from('04224d1868400000008000000000a7', 'hex');
    const frame = (...parts: Buffer[]) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(Buffer.concat(parts).length);
      return Buffer.concat([head, size, ...parts, Buffer.alloc(4)]);
    };
    // One letter, repeated a thousand million times.
    const bomb = frame(Buffer.from([0x1f, 0x61, 1, 0]), Buffer.alloc(2 ** 22, 0xff), Buffer.alloc(1));
    const started = performance.now();
    const value = await decodeValue(bomb);
    expect([value?.bytes.length, value?.truncated]).toEqual([2 ** 20, true]);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(await decodeValue(frame(Buffer.from([0x10, 0x61, 0xff, 0xff, 0])))).toMatchObject({
      bytes: Buffer.from('a'),
      truncated: true,
    });
  });
});
