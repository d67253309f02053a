import { describe, expect, it } from 'vitest';
import { sparkPaths } from './spark-paths';

describe('sparkPaths', () => {
  it('spans the width and leaves a pixel above and below', () => {
    expect(sparkPaths([0, 1], 100, 22).line).toBe('M0 21L100 1');
  });

  it('has a gap where a value is unknown, and a dot for a single value', () => {
    expect(sparkPaths([1, null, 1], 100, 20, [0, 1]).line).toBe('M0 1h0M100 1h0');
  });

  it('puts a flat series in the middle, and draws nothing for unknown values', () => {
    expect(sparkPaths([5, 5], 100, 20).line).toBe('M0 10L100 10');
    expect(sparkPaths([null], 100, 20)).toEqual({ line: '', area: '' });
  });
});
