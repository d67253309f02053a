import { describe, expect, it } from 'vitest';
import { differencesOf } from './truth-differences';

describe('the differences of two answers', () => {
  const text = (seconds: number, time: string) => ({
    problems: [`expires in ${seconds} s, written ${time}: the other says 12 keys`],
  });

  it('are none where a text has seconds and times of two readings one after the other', () => {
    const first = text(21_500, '2026-12-01T10:00:59.900Z');
    expect(differencesOf(first, text(21_501, '2026-12-01T10:01:00.100Z'))).toEqual([]);
  });

  it('are seconds and times that are far apart, and every other number', () => {
    const first = text(21_500, '2026-12-01T10:00:59.900Z');
    expect(differencesOf(first, text(21_000, '2026-12-01T10:00:59.900Z'))).toHaveLength(1);
    expect(differencesOf(first, text(21_500, '2026-12-01T10:01:09.900Z'))).toHaveLength(1);
    expect(differencesOf({ why: '12 keys' }, { why: '13 keys' })).toHaveLength(1);
  });
});
