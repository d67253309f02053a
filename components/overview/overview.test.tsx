import { screen, waitFor, within } from '@testing-library/react/pure';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { connectionContracts } from '@/lib/connections/schema';
import { type FamilyRow, familyContracts } from '@/lib/families/schema';
import { historyContracts } from '@/lib/history/schema';
import { type Attention, type Overview, overviewContracts } from '@/lib/overview/schema';
import type { Role } from '@/lib/permissions';
import { DEFAULT_PREFERENCES, preferenceContracts } from '@/lib/users/preferences/schema';
import { connectionRow } from '@/scripts/testing/connection-row';
import { fakeApi } from '@/scripts/testing/fake-api';
import { familyRow } from '@/scripts/testing/family-row';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf } from '@/scripts/testing/table';
import { AttentionList } from './attention-list';
import { FamiliesPanel } from './families-panel';
import { TileButton } from './tile-button';
import { Tiles } from './tiles';
import { useOverview } from './use-overview';

const api = fakeApi();
const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

const OVERVIEW: Overview = {
  sampledAt: secondsAgo(1),
  hitRate: 0.9,
  opsPerSecond: 50,
  usedMemoryBytes: 1000,
  maxMemoryBytes: null,
  keys: 5,
  keysWithTtl: 2,
  connectedClients: 1,
  evictedKeys: 0,
  onlineUsers: 7,
  sessions: 40,
  sessionsCountedAt: secondsAgo(120),
  blockedProjects: 3,
  blacklistedIps: 5,
  limitedProjects: 2,
  limitedProjectsCountedAt: secondsAgo(60),
  flagRequests: 0,
  approvals: 0,
  firingAlerts: 0,
  attention: [],
};

const renderTiles = (role: Role, roles?: string[], overview: Overview | null = OVERVIEW) =>
  renderAt(
    '/demo/overview',
    <Tiles
      connection="demo"
      overview={overview ?? undefined}
      history={[]}
      samples={[]}
      stepMs={1000}
      range="1h"
    />,
    { role, ...(roles && { connection: { roles } }) },
  );
const hrefs = (): Record<string, string | null> =>
  Object.fromEntries(screen.getAllByRole('link').map((link) => [textOf(link), link.getAttribute('href')]));

it('links each figure to the page that explains it', () => {
  renderTiles('support');
  expect(hrefs()).toEqual({
    'Hit rate': '/demo/hit-rates?show=hitRate&range=1h',
    Operations: '/demo/hit-rates?show=operations&range=1h',
    Memory: '/demo/hit-rates?show=memory&range=1h',
    Sessions: '/demo/sessions',
    'Limited projects': '/demo/guard?tab=limits&state=limited',
    '3 blocked': '/demo/guard?tab=projects',
    '5 banned': '/demo/guard?tab=bans',
  });
  const tile = screen.getByRole('heading', { name: 'Limited projects' }).closest('section');
  expect(textOf(tile)).toContain('Counted 1 min ago');
});

it('shows the figures that the user chose, in every browser', async () => {
  api.answer(preferenceContracts.set, ({ hiddenTiles = [] }) => ({
    preferences: { ...DEFAULT_PREFERENCES, hiddenTiles },
    auditId: 'a',
  }));
  const { user } = renderAt(
    '/demo/overview',
    <>
      <TileButton />
      <Tiles connection="demo" overview={OVERVIEW} history={[]} samples={[]} stepMs={1000} range="1h" />
    </>,
    { role: 'support', preferences: { hiddenTiles: ['memory'] } },
  );
  expect(screen.queryByText('Memory')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Choose figures' }));
  const item = (name: string) => screen.findByRole('checkbox', { name });
  expect(await item('Memory')).toHaveProperty('checked', false);
  await user.click(await item('Memory'));
  await user.click(await item('Hit rate'));
  expect(api.asked(preferenceContracts.set)).toEqual([{ hiddenTiles: [] }, { hiddenTiles: ['hitRate'] }]);
  expect(Object.keys(hrefs()).some((name) => name.startsWith('Memory'))).toBe(true);
  expect(Object.keys(hrefs())).not.toContain('Hit rate');
});

it('shows the figures in the order that the user chose, and moves them past those that are not here', async () => {
  api.answer(preferenceContracts.set, (change) => ({
    preferences: { ...DEFAULT_PREFERENCES, ...change },
    auditId: 'a',
  }));
  const { user } = renderAt(
    '/demo/overview',
    <>
      <TileButton />
      <Tiles connection="demo" overview={OVERVIEW} history={[]} samples={[]} stepMs={1000} range="1h" />
    </>,
    { connection: { roles: [] }, preferences: { tileOrder: ['memory', 'sessions', 'hitRate'] } },
  );
  const titles = () => screen.getAllByRole('heading', { level: 2, hidden: true }).map(textOf);
  const tiles = () => titles().filter((title) => title !== 'Choose figures');
  expect(tiles()).toEqual(['Memory', 'Hit rate', 'Operations']);
  await user.click(screen.getByRole('button', { name: 'Choose figures' }));
  await user.click(await screen.findByRole('button', { name: 'Move Hit rate up' }));
  expect(tiles()).toEqual(['Hit rate', 'Memory', 'Operations']);
  await user.click(screen.getByRole('button', { name: 'Move Hit rate up' }));
  expect(api.asked(preferenceContracts.set)).toEqual([
    { tileOrder: ['hitRate', 'sessions', 'memory', 'operations', 'guard'] },
  ]);
});

it('links only to pages that the role may open', () => {
  renderTiles('viewer');
  expect(Object.keys(hrefs())).toEqual(['Hit rate', 'Operations', 'Memory']);
  screen.getByText('3 blocked');
});

it.each([
  [3, []],
  [4, ['session']],
  [5, ['session', 'ban-list']],
])('reserves the places of %i tiles and their figures before they arrive', (count, roles) => {
  const { container } = renderTiles('viewer', roles, null);
  const tiles = [...container.querySelectorAll('section')];
  expect(tiles).toHaveLength(count);
  expect(tiles[0]?.parentElement?.style.getPropertyValue('--tiles')).toBe(String(count));
  const figures = tiles.map((tile) => tile.querySelector('p')?.querySelector('[class*="Skeleton"]'));
  expect(figures.filter(Boolean)).toHaveLength(count);
});

const AttentionOfDemo = () => {
  const { overview, attentionKnown } = useOverview('demo', '1h');
  return <AttentionList items={overview?.attention} known={attentionKnown} />;
};

it.each([
  ['ready', 'Nothing needs attention'],
  ['degraded', 'Unknown'],
  ['unreachable', 'Unknown'],
] as const)('with a Redis that is %s it says of an empty list: %s', async (status, title) => {
  api.answer(overviewContracts.get, OVERVIEW);
  api.answer(connectionContracts.list, {
    items: [connectionRow({ topology: 'cluster', status })],
    nextCursor: null,
  });
  api.answer(historyContracts.series, { stepSeconds: 10, points: [], events: [], before: null });
  renderAt('/demo/overview', <AttentionOfDemo />);
  await screen.findByText(title);
});

const item = (change: Partial<Attention> = {}): Attention => ({
  id: 'no-ttl:x',
  severity: 'warning',
  text: '60 keys never expire',
  detail: null,
  values: {},
  href: '/demo/families',
  canPutOff: true,
  putOff: null,
  ...change,
});

it('puts something off with a reason, and shows again what was put off', { tags: ['long'] }, async () => {
  api.answer(overviewContracts.putOff, ({ id, until }) => ({ id, until, auditId: 'a' }));
  const off = {
    until: new Date(Date.now() + 1000).toISOString(),
    by: 'ann@example.org',
    reason: 'Ticket 12',
  };
  const { user } = renderAt(
    '/demo/overview',
    <AttentionList
      items={[item(), item({ id: 'jobs', text: '1 job was interrupted', putOff: off })]}
      known
    />,
  );
  expect(screen.getAllByRole('link')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Put off: 60 keys never expire' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Put off' }));
  await user.click(drawer.getByRole('radio', { name: '7 days' }));
  await user.click(drawer.getByLabelText('Reason'));
  await user.paste('Waits for release 7');
  await user.click(drawer.getByRole('button', { name: 'Put off' }));
  await waitFor(() => expect(api.asked(overviewContracts.putOff)).toHaveLength(1));
  const [asked] = api.asked(overviewContracts.putOff);
  expect(asked).toMatchObject({ id: 'no-ttl:x', reason: 'Waits for release 7' });
  expect(Date.parse(asked!.until!) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);

  const later = (await screen.findByText('1 put off')).closest('details')!;
  expect(textOf(later)).toContain('by ann@example.org until');
  expect(textOf(later)).toContain('Ticket 12');
  await user.click(within(later).getByText('Show again'));
  await waitFor(() => expect(api.asked(overviewContracts.putOff)[1]).toEqual({ id: 'jobs', until: null }));
});

it('offers a viewer no putting off, nor anybody for signs of tampering', () => {
  renderAt('/demo/overview', <AttentionList items={[item()]} known />, { role: 'viewer' });
  expect(screen.queryByRole('button', { name: /Put off/ })).toBeNull();
  renderAt('/demo/overview', <AttentionList items={[item({ canPutOff: false })]} known />);
  expect(screen.queryByRole('button', { name: /Put off/ })).toBeNull();
});

const FIRST = [item()];
const URGENT = item({ id: 'b', text: 'Newly urgent' });

const ChangingItems = () => {
  const [items, setItems] = useState(FIRST);
  return (
    <>
      <button type="button" onClick={() => setItems([URGENT, ...FIRST])}>
        second
      </button>
      <button type="button" onClick={() => setItems([URGENT])}>
        third
      </button>
      <AttentionList items={items} known />
    </>
  );
};

it('keeps what is on a phone in its place until the reader asks for what is new', async () => {
  narrowPage();
  const { user } = renderAt('/demo/overview', <ChangingItems />);
  const texts = () => screen.getAllByRole('listitem').map((li) => textOf(li.querySelector('p')));
  await user.click(screen.getByRole('button', { name: 'second' }));
  expect(texts()).toEqual(['60 keys never expire']);
  await user.click(screen.getByRole('button', { name: '1 update · Apply' }));
  expect(texts()).toEqual(['Newly urgent', '60 keys never expire']);
  await user.click(screen.getByRole('button', { name: 'third' }));
  expect(texts()).toEqual(['Newly urgent', '60 keys never expire']);
  await user.click(screen.getByRole('button', { name: '1 update · Apply' }));
  expect(texts()).toEqual(['Newly urgent']);
});

const TITLE = 'Families with most misses';
const serve = (items: FamilyRow[]) => {
  api.answer(familyContracts.list, {
    items,
    nextCursor: null,
    unclassified: 0,
    malformed: 0,
    countedAt: secondsAgo(10),
    overlaps: [],
  });
  renderAt('/demo/overview', <FamiliesPanel connection="demo" />);
};

it('ranks families by misses and shows no rate of few look-ups', async () => {
  const sample = { source: 'sample', sampledAt: secondsAgo(5) } as const;
  serve([
    familyRow('large', { keys: 90_000 }),
    familyRow('few', { ...sample, hits: 3, misses: 4, missesPerSecond: 0.1 }),
    familyRow('most', { ...sample, hits: 60, misses: 40, missesPerSecond: 9, hitRate: 0.6 }),
  ]);
  await screen.findByText('Title of most');
  const rows = rowsOf(TITLE);
  expect(rows.map((row) => textOf(row.querySelector('a')))).toEqual(['Title of most', 'Title of few']);
  expect(textOf(rows[0])).toContain('60.0%');
  expect(textOf(rows[1])).toContain('Too few look-ups (7)');
  const link = within(rows[0]!).getByRole('link', { name: 'Title of most' });
  expect(link.getAttribute('href')).toBe('/demo/hit-rates?family=most');
});

it('says when misses by family are not measured, and where to turn that on', async () => {
  serve([familyRow('large', { keys: 90_000 })]);
  await screen.findByText('Misses by family are not measured');
  expect(screen.getAllByRole('link', { name: 'Hit rates' })[0]!.getAttribute('href')).toBe('/demo/hit-rates');
});

it('has tiles for what the catalog has families for', () => {
  const titles = (...roles: string[]) => {
    const view = renderTiles('admin', roles);
    const headings = screen.getAllByRole('heading').map(textOf).slice(3);
    view.unmount();
    return headings;
  };
  expect(titles('session', 'rate-limit')).toEqual(['Sessions', 'Limited projects']);
  expect(titles('ban-list', 'block-list')).toEqual(['Blocked projects']);
  expect(titles('ban-list')).toEqual(['Banned addresses']);
  expect(titles('flag', 'cache')).toEqual([]);
});

it.each([
  ['admin', 'Ban'],
  ['support', 'Open'],
] as const)('offers %s of a heavy address: %s', async (role, verb) => {
  const href = '/demo/guard?tab=bans&ban=192.0.2.1';
  const heavy = item({ id: 'ip:192.0.2.1', text: '192.0.2.1 is heavy', href });
  renderAt('/demo/overview', <AttentionList items={[heavy]} known />, { role });
  await screen.findByRole('link', { name: verb });
});
