import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { isCatchAll, startsWithPrefix } from './pattern';

const catchAll = (pattern: string) => isCatchAll(Buffer.from(pattern));
const own = (pattern: string) => startsWithPrefix(Buffer.from(pattern), Buffer.from('keyward:'));

describe('a pattern', () => {
  it('without enough literal bytes is a catch-all, however it is written', () => {
    const wide = [
      '',
      '*',
      '**',
      '?*',
      '*?*',
      '????',
      '[^]*',
      '[^x]*',
      '[a-z]*',
      '[a-z][a-z]*',
      '*:*',
      '*::*',
    ];
    for (const pattern of [...wide, '*a*', 'a*', '*e', '[', '[^', '\\**', '?[a-]?', '*[a-z]b*', '*_-*'])
      expect([pattern, catchAll(pattern)]).toEqual([pattern, true]);
  });

  it('with enough literal bytes, or without wildcards, is no catch-all', () => {
    const narrow = ['ab*', 'shouts:*', '*:12', '*ф*', '[s]houts*', '\\s\\h*', 'x', '4', '\\*', '*\\[a\\]*'];
    for (const pattern of [...narrow, 'a[b]*', '[a-a]b*'])
      expect([pattern, catchAll(pattern)]).toEqual([pattern, false]);
  });

  it('may aim at the keys of the console in several ways', () => {
    for (const pattern of [
      'keyward:*',
      'keyward*',
      'keyward:audit',
      '\\keyward:*',
      '[k]eyward:*',
      '?eyward:*',
    ])
      expect([pattern, own(pattern)]).toEqual([pattern, true]);
    for (const pattern of ['key*', 'keyword:*', 'shouts:*', '*keyward:*', ''])
      expect(own(pattern)).toBe(false);
  });
});

describe('beside the server', () => {
  let test: TestContext;
  const KEYS = ['a', 'zz', 'shouts:x=1', 'feed', '4', 'Ж', '[x]', 'a*b', '\\', ':', 'keyward', '-', 'user_9'];
  beforeAll(async () => {
    test = await testContext();
    for (const key of KEYS) await test.redis.set(key, '1');
  });
  afterAll(() => test.close());

  it('refuses every pattern that matches very different keys', async () => {
    const piece = fc.constantFrom(
      '*',
      '?',
      '[',
      ']',
      '^',
      '-',
      '\\',
      'a',
      'z',
      ':',
      'х',
      '[^]',
      '[a-z]',
      '[^q]',
    );
    const patterns = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(patterns, async (pattern) => {
        if (catchAll(pattern)) return;
        const [, found] = await test.redis.scan('0', 'MATCH', pattern, 'COUNT', 1000);
        expect(found.length).toBeLessThan(KEYS.length / 2);
      }),
      { numRuns: 500 },
    );
  });
});
