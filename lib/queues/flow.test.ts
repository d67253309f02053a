import { describe, expect, it } from 'vitest';
import { type Direction, directionAfter, flowBetween, oldestEnd, type Place, type Sample } from './flow';

const UNKNOWN: Direction = { pushedAt: null, takenFrom: null };

const list = (length: number, head: Place = null, tail: Place = null): Sample => ({
  type: length === 0 ? 'none' : 'list',
  length,
  places: { head, tail },
  added: null,
});
const stream = (length: number, added: number | null): Sample => ({
  type: 'stream',
  length,
  places: { head: null, tail: null },
  added,
});
const zset = (length: number): Sample => ({ ...stream(length, null), type: 'zset' });

const exactly = (pushed: number, taken: number) => ({ pushed, taken, isAtLeast: false });
const atLeast = (pushed: number, taken: number) => ({ pushed, taken, isAtLeast: true });

describe('what was added to a list and taken from it', () => {
  const FIFO: Direction = { pushedAt: 'tail', takenFrom: 'head' };
  const LIFO: Direction = { pushedAt: 'head', takenFrom: 'tail' };

  it.each([
    ['nothing', list(5, 0, 0), FIFO, exactly(0, 0)],
    ['three at the tail', list(8, 0, 3), FIFO, exactly(3, 0)],
    ['two at the head', list(7, 2, 0), LIFO, exactly(2, 0)],
    ['three at the tail, two from the head', list(6, 'gone', 3), UNKNOWN, exactly(3, 2)],
    ['three at the head, two from the tail', list(6, 3, 'gone'), UNKNOWN, exactly(3, 2)],
    ['two from the head', list(3, 'gone', 0), FIFO, exactly(0, 2)],
    ['at both ends', list(10, 2, 3), FIFO, atLeast(5, 0)],
    ['two at the end where others are taken', list(7, 2, 0), FIFO, atLeast(2, 0)],
    ['one from the middle', list(4, 0, 0), FIFO, atLeast(0, 1)],
    ['two in the middle', list(7, 0, 0), FIFO, atLeast(2, 0)],
    ['more than is searched, all taken', list(9, 'gone', 'gone'), FIFO, atLeast(4, 0)],
    ['a shorter list of others', list(2, 'gone', 'gone'), FIFO, atLeast(0, 3)],
    ['elements alike', list(6, null, null), FIFO, atLeast(1, 0)],
    ['the head unknown', list(6, null, 4), FIFO, atLeast(4, 3)],
    ['the head gone although the list grew by all', list(8, 'gone', 3), FIFO, atLeast(4, 1)],
    ['all', list(0), FIFO, atLeast(0, 5)],
    ['the first pushed again behind the last', list(5, 4, 1), FIFO, atLeast(0, 0)],
    ['the first three pushed again, and another', list(6, 2, 4), FIFO, atLeast(1, 0)],
  ] as const)('%s', (_, now, direction, flow) => {
    expect(flowBetween(list(5), now, direction)).toEqual(flow);
  });

  it('is a lower bound until elements were seen to be taken where none are pushed', () => {
    const stack: Direction = { pushedAt: 'head', takenFrom: 'head' };
    for (const direction of [UNKNOWN, stack, { ...stack, pushedAt: null }, { ...stack, takenFrom: null }]) {
      expect(flowBetween(list(5), list(5, 0, 0), direction)).toEqual(atLeast(0, 0));
      expect(flowBetween(list(5), list(7, 2, 0), direction)).toEqual(atLeast(2, 0));
      expect(flowBetween(list(5), list(3, 'gone', 0), direction)).toEqual(atLeast(0, 2));
    }
  });

  it('is a lower bound where the list was empty', () => {
    expect(flowBetween(list(0), list(4), UNKNOWN)).toEqual(atLeast(4, 0));
    expect(flowBetween(list(0), list(0), UNKNOWN)).toEqual(atLeast(0, 0));
  });

  it('is unknown where the key is something else, and never negative', () => {
    expect(flowBetween(list(5), zset(5), UNKNOWN)).toBeNull();
    expect(flowBetween(list(5), stream(9, 9), UNKNOWN)).toBeNull();
    for (const length of [0, 1, 4, 5, 9])
      for (const head of [null, 'gone', 0, 1, 7] as const)
        for (const tail of [null, 'gone', 0, 1, 7] as const) {
          const now = list(length, length > 0 ? head : null, length > 0 ? tail : null);
          const flow = flowBetween(list(5), now, UNKNOWN)!;
          expect([flow.pushed >= 0, flow.taken >= 0]).toEqual([true, true]);
          expect(flow.pushed - flow.taken).toBe(length - 5);
        }
  });
});

describe('what was added to a stream or sorted set', () => {
  it('is what the stream counted itself', () => {
    expect(flowBetween(stream(10, 100), stream(12, 105), UNKNOWN)).toEqual(exactly(5, 3));
  });

  it('is its growth where the stream does not count, and for a sorted set', () => {
    expect(flowBetween(stream(10, null), stream(12, 105), UNKNOWN)).toEqual(atLeast(2, 0));
    expect(flowBetween(zset(10), zset(7), UNKNOWN)).toEqual(atLeast(0, 3));
  });

  it('is unknown for another stream of the same name', () => {
    expect(flowBetween(stream(10, 100), stream(2, 2), UNKNOWN)).toBeNull();
    expect(flowBetween(stream(1, 1), stream(9, 5), UNKNOWN)).toBeNull();
  });
});

describe('the direction of a list', () => {
  const observed = (sample: Sample, taken = 1, known = UNKNOWN) =>
    directionAfter(known, sample, { pushed: 0, taken, isAtLeast: false });

  it('is observed at its ends', () => {
    expect(observed(list(6, 'gone', 3))).toEqual({ pushedAt: 'tail', takenFrom: 'head' });
    expect(observed(list(6, 3, 'gone'))).toEqual({ pushedAt: 'head', takenFrom: 'tail' });
    expect(observed(list(6, 0, 3), 0)).toEqual({ pushedAt: 'tail', takenFrom: null });
    expect(observed(list(3, 0, 'gone'))).toEqual({ pushedAt: null, takenFrom: 'tail' });
  });

  it('stays known while nothing contradicts it', () => {
    const known = { pushedAt: 'tail', takenFrom: 'head' } as const;
    for (const sample of [list(5, 0, 0), list(5, 'gone', 'gone'), list(5)])
      expect(observed(sample, 0, known)).toEqual(known);
  });

  it('says where the oldest is: opposite to where elements are added', () => {
    expect(oldestEnd(UNKNOWN)).toBe('head');
    expect(oldestEnd({ pushedAt: 'head', takenFrom: null })).toBe('tail');
    expect(oldestEnd({ pushedAt: 'head', takenFrom: 'head' })).toBe('tail');
    expect(oldestEnd({ pushedAt: null, takenFrom: 'tail' })).toBe('tail');
  });
});
