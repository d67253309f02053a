import { beforeEach, expect, it } from 'vitest';
import { forgetEnv } from './configuration';
import { digest, open, sameDigest, seal } from './keyring';

const useKey = (fill: string) => {
  process.env.REDIS_URL = 'redis://127.0.0.1:6379';
  process.env.KEYWARD_SECRET_KEY = Buffer.alloc(32, fill).toString('base64');
  forgetEnv();
};
beforeEach(() => useKey('a'));

it('opens what was sealed, and nothing that was altered, cut, or sealed otherwise', () => {
  const plain = Buffer.from([0, 255, 1, 254]);
  const sealed = seal('undo', plain, 'one');
  expect(open('undo', sealed, 'one')?.equals(plain)).toBe(true);
  expect(open('undo', seal('undo', Buffer.alloc(0), 'one'), 'one')?.length).toBe(0);
  expect(open('undo', sealed, 'two')).toBeNull();
  expect(open('job', sealed, 'one')).toBeNull();
  for (let i = 0; i < sealed.length; i++) {
    const altered = Buffer.from(sealed);
    altered[i]! ^= 1;
    expect(open('undo', altered, 'one')).toBeNull();
    expect(open('undo', sealed.subarray(0, i), 'one')).toBeNull();
  }
  useKey('b');
  expect(open('undo', sealed, 'one')).toBeNull();
});

it('never seals the same twice the same', () => {
  expect(seal('undo', Buffer.from('x'), 'one').equals(seal('undo', Buffer.from('x'), 'one'))).toBe(false);
});

it('digests for one purpose say nothing in another, nor under another key', () => {
  const mine = digest('etag', 'x');
  expect(mine).toMatch(/^[\w-]{43}$/);
  expect(digest('etag', Buffer.from('x'))).toBe(mine);
  expect(digest('etag', 'x', 10)).toBe(mine.slice(0, 10));
  expect(digest('handle', 'x')).not.toBe(mine);
  useKey('b');
  expect(digest('etag', 'x')).not.toBe(mine);
});

it('compares digests of any text without throwing', () => {
  expect(sameDigest('abc', 'abc')).toBe(true);
  for (const other of ['abd', 'ab', '', 'éb', 'ébc', 'abcé']) expect(sameDigest('abc', other)).toBe(false);
  expect(sameDigest('é', 'é')).toBe(true);
});

it('says what is missing without a key', () => {
  delete process.env.KEYWARD_SECRET_KEY;
  forgetEnv();
  expect(() => digest('etag', 'x')).toThrow(/KEYWARD_SECRET_KEY is not set/);
});
