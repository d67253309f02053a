import { expect, it } from 'vitest';
import { NO_FILTER, namedFilter, wireFilter } from './key-filter';

it.each([
  ['', '', undefined],
  ['job:', '', 'job:*'],
  ['', 'mail', '*mail*'],
  ['job:', 'mail', 'job:*mail*'],
  ['job:', 'job:mail', 'job:mail*'],
  ['a*b:', 'x', 'a\\*b:*x*'],
  ['', 'a*b', 'a*b'],
])('searches below the prefix %j for %j by %j', (prefix, q, match) => {
  expect(wireFilter({ ...NO_FILTER, prefix, q }).match).toBe(match);
});

it('looks a name up by itself, but not outside the prefix', () => {
  const named = (prefix: string, q: string) => namedFilter({ ...NO_FILTER, prefix, q })?.match;
  expect([named('', 'a*'), named('job:', 'job:1'), named('job:', 'mail')]).toEqual([
    'a\\*',
    'job:1',
    undefined,
  ]);
});
