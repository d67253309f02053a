import { describe, expect, it } from 'vitest';
import { sparkPaths } from './spark-paths';

describe('sparkPaths', () => {
  it('spans the width and leaves a pixel above and below', () => {
    expect(sparkPaths([0, 1], 100, 22).line).toBe('M0 21L100 1');
  });

  it('breaks at what is not known', () => {
    expect(sparkPaths([1, null, 1], 100, 20, [0, 1]).line).toBe('M0 1M100 1');
  });

  it('puts a flat series in the middle, and nothing is nothing', () => {
    expect(sparkPaths([5, 5], 100, 20).line).toBe('M0 10L100 10');
    expect(sparkPaths([null], 100, 20)).toEqual({ line: '', area: '' });
  });
});
