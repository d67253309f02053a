import { describe, expect, it } from 'vitest';
import { changeMarks, redisMarks } from './guard-marks';

const AT = '2026-05-01T12:00:00.000Z';
const entries = ['guard.blacklist.add', 'guard.blacklist.annotate', 'guard.projects.block', 'toString'].map(
  (action) => ({ at: AT, action }),
);

describe('marks on the guard’s charts', () => {
  it('are the changes that move the figure, and no others', () => {
    expect(changeMarks(entries, 'blacklistedIps')).toEqual([{ at: Date.parse(AT), kind: 'banned' }]);
    expect(changeMarks(entries, 'blockedProjects').map(({ kind }) => kind)).toEqual(['blocked']);
    expect(changeMarks(entries, 'limitedProjects').map(({ kind }) => kind)).toEqual([]);
  });

  it('leave out what happened to caches', () => {
    const event = (kind: 'restart' | 'invalidation') => ({
      at: AT,
      kind,
      text: '',
      auditId: null,
      href: null,
      family: null,
    });
    expect(redisMarks([event('invalidation'), event('restart')]).map(({ kind }) => kind)).toEqual([
      'restart',
    ]);
  });
});
