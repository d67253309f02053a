import { describe, expect, it } from 'vitest';
import { nextSearch, readFields } from './url-fields';

const defaults = { user: '', range: '1h' };

describe('state in the address', () => {
  it('reads what is there and falls back to the default', () => {
    expect(readFields('?user=81&other=x', defaults)).toEqual({ user: '81', range: '1h' });
    expect(readFields(`range=${'x'.repeat(1001)}`, defaults)).toEqual(defaults);
  });

  it('leaves defaults out and keeps what belongs to others', () => {
    expect(nextSearch('?other=x&user=81', defaults, { user: '', range: '7d' })).toBe('other=x&range=7d');
    expect(nextSearch('', defaults, { range: '1h' })).toBe('');
  });

  it('reads back what it wrote, whatever it holds', () => {
    for (const user of ['a b&c=d', '<script>', '%00', 'редактор', '#x?y']) {
      expect(readFields(nextSearch('', defaults, { user }), defaults).user).toBe(user);
    }
  });
});
