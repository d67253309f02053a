import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from 'next-intl';
import { describe, expect, it } from 'vitest';
import { FAMILY_ROLES } from '@/lib/keyspace/roles';
import { may, USER_ROLES } from '@/lib/permissions';
import { messages } from '@/messages/en';
import { ENTITY_KINDS } from '@/scripts/testing/entity-kinds';
import { hrefOf, isCurrent, PAGES, pageAt, pagesFor } from './pages';

const FOLDER = join(import.meta.dirname, '../../app/(console)');
/** Reached from the user menu, and from the list of keys. */
const NOT_IN_NAVIGATION = ['/account', '/keys/[keyId]'];

/** All page files, with their path and the permission they require. */
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('/page.tsx'))
  .map((name) => ({
    path: name.replace('[connection]', '').replace(/^\/?/, '/').replace('/page.tsx', ''),
    ofConnection: name.startsWith('[connection]'),
    permission: /<Allowed permission="([^"]+)">/.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[1],
  }));

describe('the navigation', () => {
  it('links to every page and to nothing else', () => {
    const inNavigation = new Set(PAGES.map(({ path }) => path));
    expect(
      files
        .map(({ path }) => path)
        .filter((path) => !NOT_IN_NAVIGATION.includes(path))
        .sort(),
    ).toEqual([...inNavigation].sort());
  });

  it.each(PAGES)('requires the same permission as the page: $id', (page) => {
    const file = files.find(({ path }) => path === page.path);
    expect(file?.ofConnection).toBe(page.ofConnection);
    // A tab may require more than its page.
    if (!page.search) expect(file?.permission).toBe(page.permission);
  });

  it('uses the names of the README', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
    const t = createTranslator({ locale: 'en', messages });
    for (const { label, search } of PAGES) {
      expect(t.has(label)).toBe(true);
      // A tab has no row of its own.
      if (!search) expect(readme).toMatch(new RegExp(`^\\|[^|]*\\b${t(label)}\\b`, 'm'));
    }
  });

  it.each(USER_ROLES)('shows the pages a role may see and no others: %s', (role) => {
    const shown = pagesFor(role, { roles: FAMILY_ROLES, entities: ENTITY_KINDS });
    for (const page of PAGES)
      expect([page.id, shown.includes(page)]).toEqual([page.id, may(role, page.permission)]);
    expect(shown.some(({ id }) => id === 'env')).toBe(role === 'admin');
  });

  it('shows the pages that the catalog of the connection has something for', () => {
    for (const { roles = [] } of PAGES) expect(FAMILY_ROLES).toEqual(expect.arrayContaining([...roles]));
    const shown = (...roles: string[]) =>
      pagesFor('admin', { roles, entities: [] }).flatMap(({ id, group }) =>
        group === 'operate' ? [id] : [],
      );
    expect(shown()).toEqual(['overview', 'channels']);
    expect(shown('cache', 'marker')).toEqual(['overview', 'channels']);
    expect(shown('presence')).toEqual(['overview', 'presence', 'channels']);
    expect(shown('flag', 'rate-limit')).toEqual(['overview', 'channels', 'flags', 'guard']);
    expect(shown('session')).toEqual(['overview', 'sessions', 'channels']);
  });

  it('shows the entities where a kind of the connection can be explored', () => {
    const shown = (explored: boolean) => {
      const entities = ENTITY_KINDS.map((kind) => ({ ...kind, explored }));
      return pagesFor('support', { roles: [], entities }).some(({ id }) => id === 'entities');
    };
    expect([shown(true), shown(false)]).toEqual([true, false]);
  });

  it('shows no pages of a connection without one', () => {
    expect(pagesFor('admin', null).map((page) => page.id)).toEqual(['audit', 'jobs', 'users']);
  });

  it('marks exactly one page as current', () => {
    const marked = (path: string, search: string) =>
      PAGES.filter((page) => isCurrent(page, 'main', path, search)).map((page) => page.id);
    expect(marked('/main/families', '')).toEqual(['families']);
    expect(marked('/main/families', 'tab=invalidate&family=x')).toEqual(['invalidate']);
    expect(marked('/jobs', '')).toEqual(['jobs']);
    expect(marked('/other/overview', '')).toEqual([]);
    expect(pageAt('/main/families')?.id).toBe('families');
    expect(pageAt('/main/none')).toBeUndefined();
    expect(PAGES.every((page) => marked(...split(hrefOf(page, 'main'))).includes(page.id))).toBe(true);
  });
});

const split = (href: string): [string, string] => [href.split('?')[0]!, href.split('?')[1] ?? ''];
