import { describe, expect, it } from 'vitest';
import { marksOf, numbered } from './marks';

const eventsAt = (...times: number[]) => times.map((at) => ({ at, label: `at ${at}` }));
const placed = (...times: number[]) =>
  marksOf(numbered(eventsAt(...times), 0, 1000), 0, 1000, 1000).map(({ at, text }) => [at, text]);

describe('events on the axis', () => {
  it('are numbered in their order, without those outside the range', () => {
    expect(numbered(eventsAt(500, 1001, 100, -1), 0, 1000).map(({ at, number }) => [number, at])).toEqual([
      [1, 100],
      [2, 500],
    ]);
  });

  it('each have a line, and their number where it has room', () => {
    expect(placed(100, 500)).toEqual([
      [100, '1'],
      [500, '2'],
    ]);
  });

  it('share a number where theirs would lie on each other', () => {
    expect(placed(100, 110, 139, 141)).toEqual([
      [100, '1–3'],
      [110, null],
      [139, null],
      [141, '4'],
    ]);
  });
});
