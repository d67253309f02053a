import { describe, expect, it } from 'vitest';
import { diffRows } from './diff';

describe('the fields of a change', () => {
  it('list changed fields first', () => {
    expect(diffRows({ name: 'A', enabled: true }, { name: 'A', enabled: false })).toEqual([
      { path: 'enabled', before: 'true', after: 'false', changed: true },
      { path: 'name', before: 'A', after: 'A', changed: false },
    ]);
  });

  it('are named by their path, and missing is not null', () => {
    expect(diffRows(null, { stats: { deleted: 3, until: null } })).toEqual([
      { path: 'stats.deleted', before: null, after: '3', changed: true },
      { path: 'stats.until', before: null, after: 'null', changed: true },
    ]);
  });

  it('may be a single value', () => {
    expect(diffRows('on', ['off', 1])).toEqual([
      { path: '', before: 'on', after: '["off",1]', changed: true },
    ]);
  });

  it('are empty if nothing was recorded', () => {
    expect(diffRows(null, null)).toEqual([]);
  });
});
