import { describe, expect, it } from 'vitest';
import { readList } from './list-text';

describe('lists of hosts and origins', () => {
  it.each([
    ['a.org,b.org', ['a.org', 'b.org'], 'a.org,b.org,c.org'],
    ['a.org, b.org', ['a.org', 'b.org'], 'a.org, b.org, c.org'],
    ['a.org b.org', ['a.org', 'b.org'], 'a.org b.org c.org'],
    ['["a.org","b.org"]', ['a.org', 'b.org'], '["a.org","b.org","c.org"]'],
    ['*', ['*'], '*,c.org'],
    ['', [], 'c.org'],
  ])('%s is written back in its own way', (text, items, longer) => {
    const list = readList(text)!;
    expect(list.items).toEqual(items);
    expect(list.write([...items, 'c.org'])).toBe(longer);
  });

  it('returns null for other text', () => {
    expect(readList('[1]')).toBeNull();
    expect(readList('[half')).toBeNull();
    expect(readList('a.org\nb.org')).toBeNull();
  });
});
