import { describe, expect, it } from 'vitest';
import { NO_TEST, whatIfOf, wholeNumber } from './address';

const ID = '67818cafdc7fc41066bc34df';

describe('wholeNumber', () => {
  it('reads what the server takes', () => {
    expect([' 0 ', '100', '9007199254740991'].map(wholeNumber)).toEqual([0, 100, 9007199254740991]);
  });

  it('refuses everything else', () => {
    const others = ['', '-1', '1.5', '1e3', '0x10', '9007199254740992', '99999999999999999999', 'ten', '１'];
    expect(others.map(wholeNumber)).toEqual(others.map(() => null));
  });
});

describe('whatIfOf', () => {
  it('takes a limit only with its period', () => {
    expect(whatIfOf({ ...NO_TEST, limit: '10', period: '60' })).toEqual({ limit: 10, periodSeconds: 60 });
    expect(whatIfOf({ ...NO_TEST, limit: '10' })).toBeNull();
    expect(whatIfOf({ ...NO_TEST, period: '60' })).toBeNull();
  });

  it('takes a project with or without a limit', () => {
    expect(whatIfOf({ ...NO_TEST, project: ` ${ID} ` })).toEqual({ projectId: ID });
    expect(whatIfOf({ ...NO_TEST, limit: '0', period: '0', project: ID })).toEqual({
      limit: 0,
      periodSeconds: 0,
      projectId: ID,
    });
  });

  it('asks nothing about what is no project', () => {
    expect(whatIfOf({ ...NO_TEST, project: 'all' })).toBeNull();
    expect(whatIfOf({ ...NO_TEST, limit: '1', period: '1', project: 'all' })).toEqual({
      limit: 1,
      periodSeconds: 1,
    });
  });
});
