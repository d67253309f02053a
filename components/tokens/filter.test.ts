import { describe, expect, it } from 'vitest';
import { FIELDS, filterOf, isFiltered, isNoUser, tabOf, userOf } from './filter';

const everything = {
  ...FIELDS,
  user: '#5',
  provider: 'google',
  kind: 'access',
  type: 'email_change',
  within: '3600',
};

describe('the filter of the tokens page', () => {
  it('asks each tab only for what its tokens have', () => {
    expect(filterOf('oauth', everything)).toEqual({
      userId: '5',
      provider: 'google',
      kind: 'access',
      expiringWithinSeconds: 3600,
    });
    expect(filterOf('verification', everything)).toEqual({
      userId: '5',
      type: 'email_change',
      expiringWithinSeconds: 3600,
    });
    expect(filterOf('states', everything)).toEqual({ provider: 'google', expiringWithinSeconds: 3600 });
  });

  it('leaves out what cannot be', () => {
    const wrong = { ...FIELDS, tab: 'nonsense', user: 'liwei*', kind: 'other', within: '-1' };
    expect(tabOf(wrong)).toBe('oauth');
    expect(userOf(wrong)).toBeNull();
    expect(isNoUser('oauth', wrong)).toBe(true);
    expect(isNoUser('states', wrong)).toBe(false);
    expect(isNoUser('oauth', FIELDS)).toBe(false);
    expect(isFiltered(filterOf('oauth', wrong))).toBe(false);
    expect(isFiltered(filterOf('oauth', { ...wrong, within: '0' }))).toBe(false);
  });
});
