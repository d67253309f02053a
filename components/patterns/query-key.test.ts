import { describe, expect, it } from 'vitest';
import { keepWithin, queryKeyOf } from './query-key';

const TOP = { id: 'guard.ips.top' };

describe('queryKeyOf', () => {
  it('names all answers of an operation where the input is left out', () => {
    expect(queryKeyOf(TOP, 'main')).toEqual(['guard.ips.top', 'main']);
    expect(queryKeyOf(TOP, 'main', { map: 'all' })).toEqual(['guard.ips.top', 'main', { map: 'all' }]);
  });

  it("has no connection for the console's own data", () => {
    expect(queryKeyOf({ id: 'jobs.get' }, null, { jobId: 'j' })).toEqual(['jobs.get', { jobId: 'j' }]);
    expect(queryKeyOf({ id: 'jobs.list' }, undefined)).toEqual(['jobs.list']);
  });
});

describe('keepWithin', () => {
  const last = { rows: [1] };
  const keep = keepWithin(queryKeyOf(TOP, 'main', { map: 'all' }));

  it('keeps what the same list answered to another question', () => {
    expect(keep(last, { queryKey: queryKeyOf(TOP, 'main', { map: 'all', limit: 20 }) })).toBe(last);
  });

  it("never lets another connection's or another map's answer stand in", () => {
    expect(keep(last, { queryKey: queryKeyOf(TOP, 'other', { map: 'all', limit: 20 }) })).toBeUndefined();
    expect(
      keep(last, { queryKey: queryKeyOf(TOP, 'main', { map: 'currentPeriod', limit: 20 }) }),
    ).toBeUndefined();
    expect(keep(last, undefined)).toBeUndefined();
  });
});
