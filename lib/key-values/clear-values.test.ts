import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Reader } from '@/lib/redis/reader';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { isMaskedValue } from './clear-values';
import { identify } from './identity';
import { valueAccess } from './value-access';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

/** Answers as Redis 8 does for a vector set with these names and what is attached to them. */
const isMaskedSet = async (elements: Record<string, string | null>): Promise<boolean> => {
  const read = async ([command, , name]: readonly unknown[]) => {
    if (command === 'VCARD') return Object.keys(elements).length;
    if (command === 'VRANDMEMBER') return Object.keys(elements).map((each) => Buffer.from(each));
    const attributes = elements[String(name)];
    return attributes == null ? null : Buffer.from(attributes);
  };
  const readMany = (calls: readonly (readonly unknown[])[]) => Promise.all(calls.map(read));
  const reader = { ...test.ctx.reader, read, readMany } as unknown as Reader;
  const key = Buffer.from('shop:words');
  const [identity] = await identify(test.ctx, [key]);
  return isMaskedValue({ ...test.ctx, reader }, valueAccess(test.ctx, identity!), key, 'vectorset');
};

it('finds secrets of a vector set in its names and in what is attached to them', {
  tags: ['long'],
}, async () => {
  const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'c2lnbmF0dXJl'.repeat(3)}`;
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`element:${i}`, null]));
  expect(await isMaskedSet({})).toBe(false);
  expect(await isMaskedSet({ ...many, apple: '{"color":"red"}' })).toBe(false);
  expect(await isMaskedSet({ ...many, apple: '{"password":"hunter2hunter2"}' })).toBe(true);
  expect(await isMaskedSet({ ...many, [jwt]: null })).toBe(true);
});
