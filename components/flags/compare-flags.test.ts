import { expect, it } from 'vitest';
import { flagRow } from '@/scripts/testing/flag-row';
import { type ComparedFlag, compareFlags } from './compare-flags';

const listOf = (...items: ReturnType<typeof flagRow>[]) => ({ items, complete: true });
const on = (name: string, raw = 'on') => flagRow(name, { enabled: true, raw });
const text = (name: string, etag: string) => flagRow(name, { enabled: null, raw: null, etag });
const verdicts = (compared: ComparedFlag[]) =>
  compared.map(({ name, differs, isKnown }) => [name, differs, isKnown]);

it('compares flags by name, and takes formats of one boolean for the same', () => {
  const here = listOf(
    on('FEATURE_B'),
    flagRow('FEATURE_A'),
    text('FEATURE_TEXT', '1'),
    text('FEATURE_ODD', '1'),
  );
  const there = listOf(
    on('FEATURE_A', '1'),
    on('FEATURE_B', 'yes'),
    flagRow('FEATURE_NEW'),
    text('FEATURE_TEXT', '2'),
    text('FEATURE_ODD', '1'),
  );
  const compared = compareFlags([here, there]);
  expect(verdicts(compared)).toEqual([
    ['FEATURE_A', true, true],
    ['FEATURE_B', false, true],
    ['FEATURE_NEW', true, true],
    ['FEATURE_ODD', false, true],
    ['FEATURE_TEXT', true, true],
  ]);
  expect(compared[2]!.held).toEqual(['missing', there.items[2]]);
  expect(compareFlags([listOf(), listOf()])).toEqual([]);
});

it('finds what differs between any of several connections', () => {
  const lists = [listOf(on('FEATURE_A')), listOf(on('FEATURE_A')), listOf(flagRow('FEATURE_A'))];
  expect(verdicts(compareFlags(lists))).toEqual([['FEATURE_A', true, true]]);
});

it('takes what is unknown neither for missing nor for a difference', () => {
  const lists = [listOf(on('FEATURE_A')), 'unknown' as const, { items: [], complete: false }];
  const [compared] = compareFlags(lists);
  expect(compared).toMatchObject({ differs: false, isKnown: false });
  expect(compared!.held.slice(1)).toEqual(['unknown', 'unknown']);
  const hash = flagRow('FEATURE_A', { enabled: null, raw: null, type: 'hash' });
  expect(verdicts(compareFlags([listOf(hash), listOf(hash)]))).toEqual([['FEATURE_A', false, false]]);
});

it('has a row for one flag, wherever it exists', () => {
  expect(compareFlags([listOf(on('FEATURE_A')), listOf()], ['FEATURE_B'])).toEqual([
    { name: 'FEATURE_B', held: ['missing', 'missing'], differs: false, isKnown: true },
  ]);
});
