import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wordsBefore } from '@/lib/keyspace/words';
import { PrefixCounts } from './prefix-counts';

const countOf = (keys: Iterable<string>) => {
  const counts = new PrefixCounts();
  for (const key of keys) counts.add(key);
  return counts.finish();
};

function* times(count: number, key: (i: number) => string): Generator<string> {
  for (let i = 0; i < count; i++) yield key(i);
}

it.each([
  ['app:user:17:cart', 'app:|user:'],
  ['app:config:main', 'app:|config:'],
  ['/cache/page/index.html', ''],
  ['cache/page/index.html', 'cache/|page/'],
  ['order_2024-01', 'order_'],
  ['user-profile:12', 'user-profile:'],
  ['user123', 'user'],
  ['theme', ''],
  ['tokens:•••', 'tokens:'],
  ['•••:x:y', ''],
  ['v2:users:9', 'v2:|users:'],
  ['a500:x', ''],
  ['имя:1', 'имя:'],
  ['\\x00bin:1', ''],
  ['', ''],
])('%s begins with %s', (key, words) => {
  expect(wordsBefore(key).join('|')).toBe(words);
});

it('finds the large prefixes among names that never repeat', { tags: ['long'] }, () => {
  const found = countOf([
    ...times(50_000, (i) => `shop:cart:${i}`),
    ...times(20_000, (i) => `user:name${String.fromCharCode(97 + (i % 26))}${'x'.repeat(i % 200)}:profile`),
    ...times(3000, (i) => `${'abcdefghij'[i % 10]}${'k'.repeat(1 + Math.floor(i / 10))}:x`),
    ...times(300, (i) => `job:done:${i}`),
  ]);
  expect(found.slice(0, 2)).toEqual([
    { prefix: 'shop:cart:', keys: 50_000, sample: ['shop:cart:0', 'shop:cart:1', 'shop:cart:2'] },
    expect.objectContaining({ prefix: 'user:', keys: expect.any(Number) }),
  ]);
  expect(found).toContainEqual(expect.objectContaining({ prefix: 'job:done:', keys: 300 }));
});

it('counts every key once, whatever the names are', () => {
  const word = fc.constantFrom('a', 'bb', 'ccc', 'd1', '123', '•••', 'имя', '');
  const key = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(':'));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      expect(countOf(keys).reduce((sum, { keys: count }) => sum + count, 0)).toBe(keys.length);
    }),
  );
});
