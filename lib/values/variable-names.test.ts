import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { nameBytes, nameOf } from './name-text';
import { forgetNames } from './named-keys';
import { EMPTY_NAME } from './schema';
import { variableKey, variableNames } from './variable-names';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

describe('a name as text', () => {
  it.each([
    ['JWT_SECRET', 'JWT_SECRET'],
    ['имя', 'имя'],
    ['a\nb', 'a\\x0ab'],
    ['a\\x41', 'a\\x5cx41'],
    ['a\\', 'a\\'],
    ['', EMPTY_NAME],
    [EMPTY_NAME, '\\x5cx{}'],
    ['a\\x{}', 'a\\x5cx{}'],
    ['\\x{', '\\x{'],
  ])('of %j is %j', (bytes, name) => {
    expect(nameOf(Buffer.from(bytes))).toBe(name);
    expect(nameBytes(name)).toEqual(Buffer.from(bytes));
  });

  it('can be read back for any bytes, and is unique', () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.constantFrom(...['\\x41', '\\x{}', '{}'].map((text) => Buffer.from(text))),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const bytes = Buffer.concat(parts);
        expect(nameBytes(nameOf(bytes))).toEqual(bytes);
      }),
    );
  });

  it('that is never written is not a name', () => {
    for (const text of ['', '\\x41', '\ud800', 'a\nb', '\\xc3\\xa9', 'a\\x{}', '\\x{}\\x{}'])
      expect(nameBytes(text)).toBeNull();
  });
});

it('finds every variable, and each by its name again', async () => {
  const names = ['JWT_SECRET', 'lower', 'A=B', '<script>', 'имя', 'a:b', 'FEATURE_A'];
  await test.redis.set('env_vars:', '1');
  for (const name of names) await test.redis.set(`env_vars:${name}`, '1');
  await test.redis.set(Buffer.from('env_vars:\xff\x00', 'latin1'), '1');
  await test.redis.set(Buffer.from('env_vars:A_\xff', 'latin1'), '1');
  await test.redis.set('env_vars:FEATURE_A:invalidated', '1');
  await test.redis.set('other:JWT_SECRET', '1');
  const found = await variableNames(test.ctx);
  expect(found.map(({ name }) => name)).toEqual([...names, EMPTY_NAME, 'A_\\xff', '\\xff\\x00'].sort());
  for (const { name, key } of found) expect(variableKey(test.ctx, name)).toEqual(key);
  expect(variableKey(test.ctx, 'FEATURE_A:invalidated')).toBeNull();
});

it('shares one scan among concurrent callers, and scans again for the next', async () => {
  await test.redis.set('env_vars:A', '1');
  const before = test.handle.own.snapshot().commands;
  await Promise.all([variableNames(test.ctx), variableNames(test.ctx)]);
  expect(test.handle.own.snapshot().commands - before).toBe(1);
  await test.redis.set('env_vars:B', '1');
  forgetNames(test.handle);
  expect((await variableNames(test.ctx)).map(({ name }) => name)).toEqual(['A', 'B']);
});

it('does not join an earlier scan if the names must be fresh', async () => {
  await test.redis.set('env_vars:A', '1');
  const before = test.handle.own.snapshot().commands;
  const joined = variableNames(test.ctx);
  await Promise.all([joined, variableNames(test.ctx), variableNames(test.ctx, { fresh: true })]);
  expect(test.handle.own.snapshot().commands - before).toBe(2);
});
