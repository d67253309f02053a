import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import { UNKNOWN } from '@/components/overview/use-overview';
import { PageHeader } from '@/components/patterns/page-header';
import { connectionContracts } from '@/lib/connections/schema';
import { historyContracts } from '@/lib/history/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { FAMILY_ROLES } from '@/lib/keyspace/roles';
import { overviewContracts } from '@/lib/overview/schema';
import type { Role } from '@/lib/permissions';
import { DEFAULT_PREFERENCES, preferenceContracts } from '@/lib/users/preferences/schema';
import { ENTITY_KINDS } from '@/scripts/testing/entity-kinds';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { ConsoleShell } from './console-shell';
import { PageOfRoles } from './page-of-roles';
import { entriesFor } from './pages';
import { MORE_COOKIE } from './remembered';

const api = fakeApi();

const FACTS = {
  id: 'demo',
  name: 'Demo',
  environment: 'development' as const,
  role: 'primary' as const,
  readOnly: false,
  roles: [...FAMILY_ROLES],
  entities: ENTITY_KINDS,
};

const OVERVIEW = { ...UNKNOWN, firingAlerts: 3 };

beforeEach(() => {
  api.refuse(connectionContracts.list, 'unreachable', 'not needed');
  api.answer(overviewContracts.get, OVERVIEW);
  api.answer(jobContracts.list, { items: [], nextCursor: null });
  api.tell(historyContracts.stream, []);
});

const open = (role: Role, address = '/demo/overview', more = false, pins: string[] | null = null) =>
  renderAt(
    address,
    <ConsoleShell
      viewer={{ id: `user-${role}`, name: 'Ann', email: 'ann@example.org', role }}
      connections={[FACTS]}
      remembered={null}
      more={more}
    >
      <PageOfRoles>
        <PageHeader title="Its own title" sentence="What it is for." />
      </PageOfRoles>
    </ConsoleShell>,
    { role, connection: FACTS, preferences: { pins } },
  );

const navigation = () => within(screen.getByRole('navigation', { name: 'Pages' }));
/** Without its count. */
const entries = () =>
  navigation()
    .getAllByRole('link')
    .map((link) => textOf(link.querySelector('span')));
const more = () => navigation().getByRole('button', { name: /^More/ });

it.each([
  ['support', ['Sessions', 'Tokens', 'Entities', 'Traffic guard', 'Overview']],
  ['viewer', ['Overview', 'Feature flags', 'Families', 'Hit rates', 'Metrics', 'Alerts']],
] as const)(
  'shows %s its own work, and all else under "More", as it was left',
  { tags: ['long'] },
  async (role, first) => {
    const all = entriesFor(role, FACTS, null);
    const { user, unmount } = open(role);
    expect(entries().slice(0, first.length)).toEqual(first);
    expect(entries()).toHaveLength(all.filter(({ pinned }) => pinned).length);
    expect(more().getAttribute('aria-expanded')).toBe('false');
    await user.click(more());
    expect(more().getAttribute('aria-expanded')).toBe('true');
    expect(entries()).toHaveLength(all.length);
    expect(document.cookie).toContain(`${MORE_COOKIE}=true`);
    unmount();
    open(role, '/demo/overview', true);
    expect(entries()).toHaveLength(all.length);
  },
);

it('shows where users are, also under "More"', () => {
  open('viewer', '/demo/catalog');
  expect(entries()).toEqual(expect.arrayContaining(['Catalog']));
  const current = () =>
    navigation()
      .getAllByRole('link')
      .flatMap((link) => [link.getAttribute('aria-current')].filter((mark) => mark !== null));
  expect(current()).toEqual(['page']);
});

it('has the entries that a user chooses, and stores them with the account', async () => {
  api.answer(preferenceContracts.set, ({ pins = null }) => ({
    preferences: { ...DEFAULT_PREFERENCES, pins },
    auditId: 'a',
  }));
  const { user } = open('viewer');
  await user.click(navigation().getByRole('button', { name: 'Edit menu' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Jobs' }));
  await user.click(screen.getByRole('checkbox', { name: 'Metrics' }));
  await user.click(navigation().getByRole('button', { name: 'Done' }));
  expect(entries()).toEqual(['Overview', 'Feature flags', 'Families', 'Hit rates', 'Alerts', 'Jobs']);
  await waitFor(() => expect(api.asked(preferenceContracts.set)).toHaveLength(2));
  expect(api.asked(preferenceContracts.set)[1]).toEqual({
    pins: ['overview', 'flags', 'families', 'hit-rates', 'alerts', 'jobs'],
  });
  await user.click(navigation().getByRole('button', { name: 'Edit menu' }));
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await user.click(navigation().getByRole('button', { name: 'Done' }));
  expect(entries()).toContain('Metrics');
});

it('takes a choice back that could not be stored', async () => {
  api.refuse(preferenceContracts.set, 'unreachable', 'gone');
  const { user } = open('viewer');
  await user.click(navigation().getByRole('button', { name: 'Edit menu' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Jobs' }));
  await screen.findByText('The setting could not be stored, so it stays as it was.');
  expect(screen.getByRole('checkbox', { name: 'Jobs' })).toHaveProperty('checked', false);
});

it('shows only chosen entries that exist', () => {
  open('viewer', '/demo/overview', false, ['jobs', 'flags', 'users', 'nothing']);
  expect(entries().sort()).toEqual(['Feature flags', 'Jobs', 'Overview']);
});

it('says how many alerts fire, also while they are under "More"', async () => {
  const { unmount } = open('viewer');
  const link = navigation().getByRole('link', { name: /Alerts/ });
  await within(link).findByRole('img', { name: '3 alerts fire' });
  unmount();
  const { user } = open('viewer', '/demo/overview', false, ['overview']);
  await within(more()).findByRole('img', { name: '3 alerts fire' });
  await user.click(more());
  expect(within(more()).queryByRole('img')).toBeNull();
  navigation().getByRole('img', { name: '3 alerts fire' });
});

it('has no mark without a firing alert', async () => {
  api.answer(overviewContracts.get, { ...OVERVIEW, firingAlerts: 0, sessions: 7 });
  open('admin');
  await waitFor(() => expect(textOf(navigation().getByRole('link', { name: /Sessions/ }))).toContain('7'));
  expect(navigation().queryByRole('img')).toBeNull();
});

it.each([
  ['admin', '/demo/nodes', 'Server', ['Server', 'Nodes', 'Diagnostics'], 'Nodes'],
  ['viewer', '/demo/nodes', 'Server', ['Nodes', 'Diagnostics'], 'Nodes'],
  ['product', '/demo/families?tab=invalidate', 'Families', ['Families', 'Invalidate'], 'Invalidate'],
  ['admin', '/demo/profiler', 'Advanced', ['Command line', 'Profiler'], 'Profiler'],
] as const)('gives %s at %s the title %s and its tabs', (role, address, title, tabs, current) => {
  open(role, address);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(title);
  const links = within(screen.getByRole('navigation', { name: title })).getAllByRole('link');
  expect(links.map(textOf)).toEqual(tabs);
  expect(links.filter((link) => link.getAttribute('aria-current') === 'page').map(textOf)).toEqual([current]);
  // The menu says the same words.
  expect(navigation().getByRole('link', { name: title }).getAttribute('aria-current')).not.toBeNull();
});

it.each([
  ['viewer', '/demo/families'],
  ['support', '/demo/command-line'],
  ['admin', '/demo/overview'],
] as const)('leaves a page that %s sees alone at %s as it is', (role, address) => {
  open(role, address);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Its own title');
  expect(screen.getAllByRole('navigation')).toHaveLength(1);
});
