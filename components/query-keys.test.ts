import { describe, expect, it } from 'vitest';
import { keepWithin, queryKeys } from './query-keys';

describe('queryKeys', () => {
  it('names all queries that begin alike where the end is left out', () => {
    expect(queryKeys.traffic('main')).toEqual(['guard.ips', 'main']);
    expect(queryKeys.traffic('main', 'all', 50)).toEqual(['guard.ips', 'main', 'all', 50]);
  });

  it('keeps a part that is null: it is asked with', () => {
    expect(queryKeys.whatIf('main', null)).toEqual(['guard.rateLimits.whatIf', 'main', null]);
  });
});

describe('keepWithin', () => {
  const last = { rows: [1] };
  const keep = keepWithin(queryKeys.traffic('main', 'all'));

  it('keeps what the same list answered to another question', () => {
    expect(keep(last, { queryKey: queryKeys.traffic('main', 'all', 20) })).toBe(last);
  });

  it("never lets another connection's or another map's answer stand in", () => {
    expect(keep(last, { queryKey: queryKeys.traffic('other', 'all', 20) })).toBeUndefined();
    expect(keep(last, { queryKey: queryKeys.traffic('main', 'currentPeriod', 20) })).toBeUndefined();
    expect(keep(last, undefined)).toBeUndefined();
  });
});
