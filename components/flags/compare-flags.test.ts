import { expect, it } from 'vitest';
import { flagRow } from '@/scripts/testing/flag-row';
import { pairsOf } from './compare-flags';

it('pairs flags by name, and takes formats of one boolean for the same', () => {
  const here = [
    flagRow('FEATURE_B', { enabled: true, raw: 'on' }),
    flagRow('FEATURE_A'),
    flagRow('FEATURE_TEXT', { enabled: null, raw: 'maybe' }),
    flagRow('FEATURE_ODD', { enabled: null, raw: 'maybe' }),
  ];
  const there = [
    flagRow('FEATURE_A', { enabled: true, raw: '1' }),
    flagRow('FEATURE_B', { enabled: true, raw: 'yes' }),
    flagRow('FEATURE_NEW'),
    flagRow('FEATURE_TEXT', { enabled: null, raw: 'later' }),
    flagRow('FEATURE_ODD', { enabled: null, raw: 'maybe' }),
  ];
  const differs = pairsOf(here, there).map((pair) => [pair.name, pair.differs]);
  expect(differs).toEqual([
    ['FEATURE_A', true],
    ['FEATURE_B', false],
    ['FEATURE_NEW', true],
    ['FEATURE_ODD', false],
    ['FEATURE_TEXT', true],
  ]);
  expect(pairsOf(here, there)[2]).toMatchObject({ name: 'FEATURE_NEW', here: undefined });
  expect(pairsOf([], [])).toEqual([]);
});
