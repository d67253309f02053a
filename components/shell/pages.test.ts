import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from 'next-intl';
import { describe, expect, it } from 'vitest';
import { FAMILY_ROLES } from '@/lib/keyspace/roles';
import { may, type Role, USER_ROLES } from '@/lib/permissions';
import { messages } from '@/messages/en';
import { ENTITY_KINDS } from '@/scripts/testing/entity-kinds';
import { entriesFor, hrefOf, isCurrent, PAGES, type Page, PINS, pageAt, pagesFor } from './pages';

const EVERYTHING = {
  roles: FAMILY_ROLES,
  entities: ENTITY_KINDS,
  approvals: { operations: [], limits: {} },
};
const FOLDER = join(import.meta.dirname, '../../app/(console)');
/** Reached from the user menu, the list of keys, and the search. */
const NOT_IN_NAVIGATION = ['/account', '/keys/[keyId]', '/find'];

const t = createTranslator({ locale: 'en', messages });

/** All page files, with their path and the permission they require. */
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('/page.tsx'))
  .map((name) => ({
    path: name.replace('[connection]', '').replace(/^\/?/, '/').replace('/page.tsx', ''),
    ofConnection: name.startsWith('[connection]'),
    title: /titled\('([^']+)'\)/.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[1],
    permission: /consolePage\(\s*'([^']+)'/.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[1],
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

  it.each(PAGES)('requires the same permission as the page, and says the same words: $id', (page) => {
    const file = files.find(({ path }) => path === page.path);
    expect(file?.ofConnection).toBe(page.ofConnection);
    // A tab may require more than its page.
    if (page.search) return;
    expect(file?.permission).toBe(page.permission);
    expect(t(page.label)).toBe(t(file?.title as Page['label']));
  });

  // `npx vitest run components/shell/pages -u` writes the rows.
  it('is the table of pages in the README', async () => {
    const path = join(import.meta.dirname, '../../README.md');
    const rows = PAGES.filter(({ search }) => !search).map(({ label, permission }) => {
      const readers = USER_ROLES.filter((role) => may(role, permission));
      const who = readers.length === USER_ROLES.length ? 'everyone' : readers.join(', ');
      return `| ${t(label)} | ${who} | ${t(label.replace(/title$/, 'help') as Page['label'])} |\n`;
    });
    const table = /(?<=^\| page \|.*\n\|[-|]+\n)(?:\|.*\n)+/m;
    const readme = readFileSync(path, 'utf8').replace(table, () => rows.join(''));
    await expect(readme).toMatchFileSnapshot(path);
  });

  it.each(USER_ROLES)('shows the pages a role may see and no others: %s', (role) => {
    const shown = pagesFor(role, EVERYTHING);
    for (const page of PAGES)
      expect([page.id, shown.includes(page)]).toEqual([page.id, may(role, page.permission)]);
    expect(shown.some(({ id }) => id === 'env')).toBe(role === 'admin');
  });

  it('shows the pages that the catalog of the connection has something for', () => {
    for (const { roles = [] } of PAGES) expect(FAMILY_ROLES).toEqual(expect.arrayContaining([...roles]));
    const shown = (...roles: string[]) => pagesFor('admin', { roles, entities: [] }).map(({ id }) => id);
    const without = shown();
    const added = (...roles: string[]) => shown(...roles).filter((id) => !without.includes(id));
    expect(without).toEqual(expect.arrayContaining(['overview', 'channels', 'families', 'keys', 'server']));
    expect(added('cache', 'marker')).toEqual([]);
    expect(added('presence')).toEqual(['presence']);
    expect(added('flag', 'rate-limit')).toEqual(['flags', 'guard']);
    expect(added('session')).toEqual(['sessions']);
  });

  it('shows the entities where a kind of the connection can be explored', () => {
    const shown = (explored: boolean) => {
      const entities = ENTITY_KINDS.map((kind) => ({ ...kind, explored }));
      return pagesFor('support', { roles: [], entities }).some(({ id }) => id === 'entities');
    };
    expect([shown(true), shown(false)]).toEqual([true, false]);
  });

  it.each([
    ['admin', ['overview', 'sessions', 'tokens', 'flags', 'approvals']],
    ['support', ['sessions', 'tokens', 'approvals', 'entities', 'guard']],
    ['product', ['flags', 'approvals', 'families', 'hit-rates']],
    ['viewer', ['overview', 'flags', 'families']],
  ] as const)('shows %s first what the role does most', (role, first) => {
    const entries = entriesFor(role, EVERYTHING, null);
    expect(entries.filter((entry) => entry.pinned).map(({ id }) => id)).toEqual(PINS[role]);
    expect(entries.slice(0, first.length).map(({ id }) => id)).toEqual(first);
    // Every page is behind exactly one entry.
    const pages = entries.flatMap((entry) => entry.pages);
    expect(pages).toHaveLength(new Set(pages).size);
    expect(new Set(pages)).toEqual(new Set(pagesFor(role, EVERYTHING)));
  });

  it('has the pins of a user instead of those of the role', () => {
    const entries = entriesFor('viewer', EVERYTHING, ['jobs', 'flags', 'users', 'gone']);
    expect(entries.filter(({ pinned }) => pinned).map(({ id }) => id)).toEqual(['flags', 'jobs']);
    expect(entries).toHaveLength(entriesFor('viewer', EVERYTHING, null).length);
    expect(entriesFor('viewer', EVERYTHING, []).some(({ pinned }) => pinned)).toBe(false);
  });

  it('gives an entry its own name where a role sees several of its pages', () => {
    const labelOf = (role: Role, id: string) =>
      entriesFor(role, EVERYTHING, null).find((entry) => entry.id === id)?.label;
    expect(['admin', 'support', 'viewer'].map((role) => labelOf(role as Role, 'advanced'))).toEqual([
      'shell.navAdvanced',
      'commandLine.title',
      undefined,
    ]);
    expect(labelOf('viewer', 'server')).toBe('server.title');
    const queues = entriesFor('admin', { roles: ['queue'], entities: [] }, null).find(
      ({ id }) => id === 'locks',
    );
    expect(queues?.label).toBe('queues.title');
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
