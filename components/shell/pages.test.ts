import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from 'next-intl';
import { describe, expect, it } from 'vitest';
import { may, USER_ROLES } from '@/lib/permissions';
import { messages } from '@/messages/en';
import { hrefOf, isCurrent, PAGES, pagesFor } from './pages';

const FOLDER = join(import.meta.dirname, '../../app/(console)');
/** Everybody's own: reached from the menu of the user. */
const NOT_IN_NAVIGATION = ['/account'];

/** The pages there are: their address below the connection or the console, and the permission their file asks for. */
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('/page.tsx'))
  .map((name) => ({
    path: name.replace('[connection]', '').replace(/^\/?/, '/').replace('/page.tsx', ''),
    ofConnection: name.startsWith('[connection]'),
    permission: /<Allowed permission="([^"]+)">/.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[1],
  }));

describe('the navigation', () => {
  it('leads to every page and nowhere else', () => {
    const inNavigation = new Set(PAGES.map(({ path }) => path));
    expect(
      files
        .map(({ path }) => path)
        .filter((path) => !NOT_IN_NAVIGATION.includes(path))
        .sort(),
    ).toEqual([...inNavigation].sort());
  });

  it.each(PAGES)('asks for what the page itself asks: $id', (page) => {
    const file = files.find(({ path }) => path === page.path);
    expect(file?.ofConnection).toBe(page.ofConnection);
    // A page opened at one of its tabs may ask for more than the page itself.
    if (!page.search) expect(file?.permission).toBe(page.permission);
  });

  it('names each page as its texts and the README do', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
    const t = createTranslator({ locale: 'en', messages });
    for (const { label, search } of PAGES) {
      expect(t.has(label)).toBe(true);
      // A tab has no row of its own.
      if (!search) expect(readme).toMatch(new RegExp(`^\\|[^|]*\\b${t(label)}\\b`, 'm'));
    }
  });

  it.each(USER_ROLES)('holds what a role may see and nothing else: %s', (role) => {
    const shown = pagesFor(role, 'main');
    for (const page of PAGES)
      expect([page.id, shown.includes(page)]).toEqual([page.id, may(role, page.permission)]);
    expect(shown.some(({ id }) => id === 'env')).toBe(role === 'admin');
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
