import { describe, expect, it } from 'vitest';
import { hrefOf, isCurrent, PAGES, pagesFor } from './pages';

const ids = (role: Parameters<typeof pagesFor>[0]) => pagesFor(role, 'main').map((page) => page.id);

describe('the navigation', () => {
  it('holds what the role may see and nothing else', () => {
    expect(ids('viewer')).toEqual(['overview', 'flags', 'families', 'hitRates', 'jobs']);
    expect(ids('support')).toEqual([
      'overview',
      'sessions',
      'tokens',
      'flags',
      'guard',
      'families',
      'hitRates',
      'jobs',
    ]);
    expect(ids('product')).toEqual(['overview', 'flags', 'families', 'hitRates', 'invalidate', 'jobs']);
    expect(ids('admin')).toEqual(PAGES.map((page) => page.id));
    expect(ids('admin')).toContain('env');
  });

  it('has no pages of a connection where there is none', () => {
    expect(pagesFor('admin', null).map((page) => page.id)).toEqual(['audit', 'jobs', 'users']);
  });

  it('marks exactly one page of an address', () => {
    const marked = (path: string, search: string) =>
      PAGES.filter((page) => isCurrent(page, 'main', path, search)).map((page) => page.id);
    expect(marked('/main/caches', '')).toEqual(['families']);
    expect(marked('/main/caches', 'tab=invalidate&family=x')).toEqual(['invalidate']);
    expect(marked('/jobs', '')).toEqual(['jobs']);
    expect(marked('/other/overview', '')).toEqual([]);
    expect(PAGES.every((page) => marked(...split(hrefOf(page, 'main'))).includes(page.id))).toBe(true);
  });
});

const split = (href: string): [string, string] => [href.split('?')[0]!, href.split('?')[1] ?? ''];
