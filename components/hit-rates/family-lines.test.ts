import { describe, expect, it } from 'vitest';
import { pointOf, rowOf } from '@/scripts/testing/rate-row';
import { chosenOf, linesOf, MAX_LINES, samplesOf, toggled } from './family-lines';

const rows = [
  rowOf('a', [pointOf(0, 80, 20)]),
  rowOf('few', [pointOf(0, 3, 4)]),
  rowOf('b', [pointOf(0, 30, 10), pointOf(60, 3, 2), pointOf(120, 20, 20)]),
  rowOf('empty', []),
];

describe('the lines of a chart', () => {
  it('are those of the address, else the families with most misses and enough look-ups', () => {
    expect(chosenOf('b,unheard', rows)).toEqual(['b']);
    expect(chosenOf('', rows)).toEqual(['a', 'b']);
    expect(chosenOf('few', rows)).toEqual(['a', 'b']);
    expect(chosenOf('none', rows)).toEqual([]);
  });

  it('are shown and hidden one by one, the oldest making room', () => {
    expect(toggled('b', ['a'])).toBe('a,b');
    expect(toggled('a', ['a', 'b'])).toBe('b');
    expect(toggled('a', ['a'])).toBe('none');
    const full = Array.from({ length: MAX_LINES }, (_, i) => `f${i}`);
    expect(toggled('x', full).split(',')).toEqual([...full.slice(1), 'x']);
  });
});

it('has a band of the error around each rate, and neither for too few look-ups', () => {
  const [first, second] = samplesOf(['b'], rows, 60_000);
  expect(first).toMatchObject({ at: 0, b: 0.75, 'b:n': 40 });
  expect([first!['b:low'], first!['b:high']].map((end) => end!.toFixed(2))).toEqual(['0.65', '0.85']);
  expect(second).toEqual({ at: 60_000, b: null, 'b:low': null, 'b:high': null, 'b:n': 5 });
});

it('tells the tooltip how many look-ups a rate rests on', () => {
  const detail = (n: number, error: number | null) => `${n} ± ${error?.toFixed(2) ?? 'none'}`;
  const [line] = linesOf(['b'], rows, () => ({ color: 2 }), detail);
  const samples = samplesOf(['b'], rows, 60_000);
  expect(line).toMatchObject({ id: 'b', name: 'B', color: 2 });
  expect(samples.slice(0, 2).map((sample) => line!.detail!(sample))).toEqual(['40 ± 0.10', '5 ± none']);
});
