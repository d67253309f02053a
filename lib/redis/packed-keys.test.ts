import { expect, it } from 'vitest';
import { unpackKeys } from './packed-keys';

it('gives keys back as they were, whatever their bytes', { tags: ['long'] }, () => {
  const keys = ['', 'a', 'ключ', 'x'.repeat(70_000)].map((text) => Buffer.from(text));
  keys.push(Buffer.from([0, 0, 0, 1, 0xff, 0xfe]));
  const packed = keys.flatMap((key) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(key.length);
    return [length, key];
  });
  expect(unpackKeys(Buffer.concat(packed))).toEqual(keys);
  expect(unpackKeys(Buffer.alloc(0))).toEqual([]);
});
