import { fireEvent, screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { type AuditEntry, auditContracts } from '@/lib/audit/schema';
import { entityContracts } from '@/lib/entities/schema';
import { envContracts } from '@/lib/env/schema';
import { familyContracts } from '@/lib/families/schema';
import { flagContracts } from '@/lib/flags/schema';
import { guardContracts } from '@/lib/guard/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { keyContracts } from '@/lib/keys/schema';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { type Session, sessionContracts } from '@/lib/sessions/schema';
import { userContracts } from '@/lib/users/schema';
import { refOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { flagRow } from '@/scripts/testing/flag-row';
import { renderAt, textOf } from '@/scripts/testing/render';
import { FindPage } from './find-page';
import { openSearch, Search } from './search';

const api = fakeApi();
const NONE = { items: [], nextCursor: null };
const CONNECTION: ConnectionFacts = {
  id: 'demo',
  name: 'Demo',
  environment: 'development',
  role: 'primary',
  readOnly: false,
  roles: ['session', 'flag', 'variable', 'ban-list', 'rate-limit'],
  entities: [],
};

const NAMES = { indexedAt: '2026-01-01T00:00:00.000Z', complete: true };
const FLAG_FACTS = {
  ...NAMES,
  naming: { prefix: 'FEATURE_', kind: 'own' as const },
  approval: 'none' as const,
  newFlags: [],
};

const FLAG = flagRow('FEATURE_X');

const ENTRY: AuditEntry = {
  id: '',
  at: '2026-01-01T00:00:00.000Z',
  actor: 'admin@example.org',
  actorId: 'a',
  role: 'admin',
  action: 'flags.set',
  connection: 'demo',
  target: 'FEATURE_X',
  reason: null,
  outcome: 'succeeded',
  detail: null,
  before: null,
  after: null,
  finishedAt: null,
  undoUntil: null,
  undoneBy: null,
  requestId: null,
};

const session = (userId: string, username: string): Session => ({
  handle: null,
  userId,
  username,
  createdAt: null,
  lastActivity: null,
  expiresAt: null,
  ttlSeconds: 60,
  device: { label: 'Firefox on Linux', userAgent: null, address: '198.51.100.7' },
  fingerprint: `f-${userId}`,
  indexed: true,
  states: ['live'],
  jwt: null,
});

beforeEach(() => {
  sessionStorage.clear();
  api.answer(sessionContracts.list, { ...NONE, examined: 0, keys: 0 });
  api.answer(familyContracts.list, { ...NONE, unclassified: 0, malformed: 0, countedAt: null, overlaps: [] });
  api.answer(flagContracts.list, { ...NONE, ...FLAG_FACTS });
  api.answer(envContracts.list, { groups: [], missing: [], total: 0, ...NAMES });
  api.answer(guardContracts.blacklistList, { ...NONE, examined: 0, total: 0, inForceWithinSeconds: 1 });
  api.answer(rateLimitContracts.list, NONE as never);
  api.answer(entityContracts.search, { ...NONE, examined: 0, total: 0 });
  api.answer(keyContracts.list, { ...NONE, examined: 0, total: 0 });
  api.answer(userContracts.list, NONE);
  api.answer(auditContracts.list, NONE);
  api.answer(jobContracts.list, NONE);
});

const panel = async (name: string): Promise<HTMLElement> =>
  (await screen.findByRole('heading', { name })).closest('section')!;

it('lists by kind what was found, and says where the rest is', async () => {
  api.answer(sessionContracts.list, (input) => ({
    items: input.username ? [session('20', 'ilya20'), session('20', 'ilya20'), session('21', 'ilya21')] : [],
    nextCursor: input.username ? 'more' : null,
    examined: 3,
    keys: 9,
  }));
  api.answer(entityContracts.search, (input) => ({
    items: input.kind === 'discours.author' ? [refOf('20', { kind: 'author', title: 'Ilya' })] : [],
    nextCursor: null,
    examined: 1,
    total: 1,
  }));
  renderAt('/demo/find?q=ilya', <FindPage />);
  const sessions = await panel('Sessions');
  const people = within(sessions).getAllByRole('listitem');
  expect(people.map(textOf)).toEqual([
    'ilya20Firefox on Linux · 198.51.100.7',
    'ilya21Firefox on Linux · 198.51.100.7',
  ]);
  expect(within(sessions).getByRole('link', { name: 'ilya20' }).getAttribute('href')).toBe(
    '/demo/sessions?user=20',
  );
  expect(within(sessions).getByRole('link', { name: 'More in Sessions' }).getAttribute('href')).toBe(
    '/demo/sessions?name=ilya',
  );
  const authors = await panel('Author');
  expect(within(authors).queryByRole('link', { name: /More/ })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Publication' })).toBeNull();
});

it('never says that nothing exists where only a part was looked at', { tags: 'long' }, async () => {
  api.answer(keyContracts.list, { items: [], nextCursor: 'more', examined: 10, total: 1000 });
  renderAt('/demo/find?q=rare', <FindPage />);
  const further = await panel('Searched only in part');
  expect(within(further).getAllByRole('link').map(textOf)).toEqual(['Keys']);
  expect(screen.queryByText('Nothing was found')).toBeNull();
});

it('asks nothing for a text that looks like a secret, or is too short', async () => {
  const { unmount } = renderAt('/demo/find?q=a', <FindPage />);
  await screen.findByText('Enter at least two characters');
  unmount();
  const token = `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIn0'}.${'x'.repeat(43)}`;
  renderAt('/demo/find', <FindPage />);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: token } });
  await screen.findByText(/looks like/i);
  expect(window.location.search).toBe('');
  expect(api.asked(keyContracts.list)).toEqual([]);
  const { fill } = renderAt('/demo/overview', <Search connection={CONNECTION} />);
  openSearch();
  await fill(await screen.findByRole('textbox', { name: 'Search' }), token);
  await screen.findByText(/looks like a token/, { selector: '[role=dialog] *' });
  expect(api.asked(keyContracts.list)).toEqual([]);
});

it('says what could not be searched, and asks only what the role may see', async () => {
  api.refuse(flagContracts.list, 'unreachable', 'gone');
  renderAt('/demo/find?q=flag', <FindPage />, { role: 'viewer', connection: CONNECTION });
  expect(textOf(await panel('Feature flags'))).toContain('This part could not be searched.');
  for (const contract of [sessionContracts.list, envContracts.list, keyContracts.list, userContracts.list])
    expect(api.asked(contract as never)).toEqual([]);
});

it('offers what can be done with an address', async () => {
  renderAt('/demo/find?q=ban%20198.51.100.7', <FindPage />, { connection: CONNECTION });
  const link = await screen.findByRole('link', { name: 'Ban 198.51.100.7' });
  expect(link.getAttribute('href')).toBe('/demo/guard?ban=198.51.100.7');
  await waitFor(() =>
    expect(api.asked(sessionContracts.list).map(({ address }) => address)).toContain('198.51.100.7'),
  );
});

it('finds an audit entry by its id, which it sends nowhere: a token may look the same', async () => {
  const id = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
  api.answer(auditContracts.list, { items: [{ ...ENTRY, id }], nextCursor: null });
  const { fill } = renderAt('/demo/overview', <Search connection={CONNECTION} />);
  openSearch();
  await fill(await screen.findByRole('textbox', { name: 'Search' }), id);
  await screen.findByRole('button', { name: new RegExp(`^${id}`) });
  expect(api.asked(auditContracts.list)).toMatchObject([{ limit: 1000 }]);
  expect(api.asked(keyContracts.list)).toEqual([]);
  expect(screen.queryByRole('button', { name: /All results/ })).toBeNull();
});

it('shows in the search what a verb leads to first, and what was opened last before anything is typed', async () => {
  api.answer(flagContracts.list, { items: [FLAG], nextCursor: null, ...FLAG_FACTS });
  const { fill } = renderAt('/demo/overview', <Search connection={CONNECTION} />, {
    connection: CONNECTION,
  });
  openSearch();
  await fill(await screen.findByRole('textbox', { name: 'Search' }), 'toggle feature');
  fireEvent.click(await screen.findByRole('button', { name: /Toggle FEATURE_X/ }));
  openSearch();
  await fill(await screen.findByRole('textbox', { name: 'Search' }), '');
  const [first] = await screen.findAllByRole('button', { name: /./ });
  expect(textOf(first)).toContain('Toggle FEATURE_X');
});
