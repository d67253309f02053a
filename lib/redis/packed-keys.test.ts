import { expect, it } from 'vitest';
import { packKeys, unpackKeys } from './packed-keys';

it('gives keys back as they were, whatever their bytes', () => {
  const keys = ['', 'a', 'ключ', 'x'.repeat(70_000)].map((text) => Buffer.from(text));
  keys.push(Buffer.from([0, 0, 0, 1, 0xff, 0xfe]));
  expect(unpackKeys(packKeys(keys))).toEqual(keys);
  expect(unpackKeys(packKeys([]))).toEqual([]);
});
