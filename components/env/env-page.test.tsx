import { act, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import Env from '@/app/(console)/[connection]/env/page';
import { envContracts } from '@/lib/env/schema';
import { EMPTY_NAME } from '@/lib/values/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { changed, listOf, variable } from '@/scripts/testing/variables';

const api = fakeApi();
afterEach(() => {
  vi.useRealTimers();
});

const rowOf = async (name: string): Promise<HTMLElement> =>
  (await screen.findAllByRole('listitem')).find((row) => row.textContent?.includes(name))!;
const names = () => screen.queryAllByRole('listitem').map((row) => row.querySelector('code')?.textContent);

const MIXED = listOf(
  [
    variable({ name: 'DB_URL', category: 'database', secretBy: 'shape', kind: 'url' }),
    variable({ name: 'POSTGRES_PASSWORD', category: 'database', secretBy: 'name' }),
    variable({ name: 'JWT_SECRET', category: 'auth', secretBy: 'name' }),
    variable({
      name: 'OAUTH_PROVIDERS',
      category: 'auth',
      type: 'hash',
      value: null,
      problems: [{ code: 'wrong-type', message: 'Its key holds a hash, not a string.' }],
    }),
    variable({
      name: 'MAINTENANCE_NOTE',
      ttlSeconds: 7200,
      problems: [{ code: 'ttl', message: 'It has a TTL.' }],
    }),
    variable({ name: 'SITE_TITLE', value: null, valueBase64: 'xOjx6vPw8Q==', lengthBytes: 7 }),
    variable({ name: 'FOOTER_HTML', value: null, lengthBytes: 2_000_000 }),
    variable({ name: '<img src=x onerror=alert(1)>', value: '"><script>alert(1)</script>' }),
    variable({ name: 'ADMIN\u202eLIAM' }),
    variable({
      name: 'ALLOWED_HOSTS',
      category: 'security',
      kind: 'list',
      value: 'discours.example.org,api.discours.example.org',
    }),
  ],
  [{ name: 'ELASTICSEARCH_URL', category: 'search' }],
);

it('lists variables by category with their problems, hostile ones as text', async () => {
  api.answer(envContracts.list, MIXED);
  renderAt('/demo/env', <Env />);
  expect((await rowOf('DB_URL')).textContent).toContain('Secret (detected from value)');
  const database = screen.getByRole('region', { name: 'Database' });
  expect(database.textContent).toContain('POSTGRES_PASSWORD');
  const texts: [string, string | RegExp][] = [
    ['POSTGRES_PASSWORD', 'Secret (detected from name)'],
    ['MAINTENANCE_NOTE', /expires in 2\s*h|expires in 1\s*h 59/],
    ['OAUTH_PROVIDERS', 'Its key holds a hash, not a string.'],
    ['SITE_TITLE', 'c4 e8 f1 ea f3 f0 f1'],
    ['FOOTER_HTML', '1.9 MiB'],
    ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>'],
    ['ADMIN', 'ADMIN\\u202eLIAM'],
  ];
  for (const [name, text] of texts) expect(textOf(await rowOf(name))).toMatch(text);
  const codes = [...(await rowOf('ALLOWED_HOSTS')).querySelectorAll('code')];
  expect(codes.map((code) => code.textContent)).toEqual([
    'ALLOWED_HOSTS',
    'discours.example.org',
    'api.discours.example.org',
  ]);
});

it('offers to create what the application documents and is not there', async () => {
  api.answer(envContracts.list, MIXED);
  const { user } = renderAt('/demo/env', <Env />);
  await user.click(await screen.findByRole('button', { name: 'Create ELASTICSEARCH_URL' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByLabelText(/^Name/)).toHaveProperty('value', 'ELASTICSEARCH_URL');
});

it('collapses a category and filters, and keeps both in the URL', async () => {
  api.answer(envContracts.list, MIXED);
  const { user } = renderAt('/demo/env', <Env />);
  await user.click(await screen.findByRole('button', { name: /^Database/ }));
  expect(names()).not.toContain('DB_URL');
  expect(window.location.search).toBe('?closed=database');
  await user.click(screen.getByText(/^Needs review/));
  expect(window.location.search).toContain('show=problems');
  expect(names().sort()).toEqual(['MAINTENANCE_NOTE', 'OAUTH_PROVIDERS']);
});

it('shows again what the address says', { tags: ['long'] }, async () => {
  api.answer(envContracts.list, MIXED);
  const { unmount } = renderAt('/demo/env?closed=database', <Env />);
  await rowOf('JWT_SECRET');
  expect(names()).not.toContain('DB_URL');
  unmount();
  const second = renderAt('/demo/env?q=DB_&closed=database', <Env />);
  await rowOf('DB_URL');
  expect(names()).toEqual(['DB_URL']);
  second.unmount();
  renderAt('/demo/env?show=problems', <Env />);
  await rowOf('OAUTH_PROVIDERS');
  expect(names().sort()).toEqual(['MAINTENANCE_NOTE', 'OAUTH_PROVIDERS']);
});

const SECRET = 'swordfish-9f3a-swordfish';

const revealing = async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  api.answer(envContracts.list, listOf([variable({ name: 'TOKEN', secretBy: 'name' })]));
  api.answer(envContracts.backups, { items: [], nextCursor: null });
  api.answer(envContracts.reveal, {
    name: 'TOKEN',
    value: SECRET,
    etag: 'etag',
    auditId: 'audit-1',
  });
  const view = renderAt('/demo/env', <Env />);
  const reveal = async () => {
    await view.user.click(await screen.findByRole('button', { name: 'Reveal TOKEN' }));
    expect((await screen.findByTestId('revealed')).textContent).toBe(SECRET);
  };
  const expectGone = () => {
    expect(screen.queryByTestId('revealed')).toBeNull();
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
    expect(window.location.href).not.toContain(SECRET);
  };
  return { ...view, reveal, expectGone };
};

it('hides a revealed secret after 30 s', { tags: ['long'] }, async () => {
  const { reveal, expectGone } = await revealing();
  await rowOf('TOKEN');
  expectGone();
  await reveal();
  expect((await rowOf('TOKEN')).textContent).toMatch(/hides in (30|29|28) s/);
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect((await rowOf('TOKEN')).textContent).toMatch(/hides in (11|10|9|8) s/);
  await act(() => vi.advanceTimersByTimeAsync(11_000));
  expectGone();
});

it('hides a revealed secret when the page is left, and reveals it again for each request', {
  tags: ['long'],
}, async () => {
  const { reveal, expectGone, user } = await revealing();
  await reveal();
  await user.click(screen.getByRole('tab', { name: 'Backups' }));
  await screen.findByRole('table', { name: 'Stored backups' });
  expectGone();
  await user.click(screen.getByRole('tab', { name: 'Variables' }));
  await rowOf('TOKEN');
  expectGone();
  await reveal();
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expectGone();
  hidden.mockRestore();
  expect(api.asked(envContracts.reveal)).toEqual([{ name: 'TOKEN' }, { name: 'TOKEN' }]);
});

it("opens a variable's history from the URL, with reasons", async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'NOTE' })]));
  const step = {
    actor: 'a',
    from: 'one',
    fromCut: false,
    kept: false,
    to: 'two',
    changed: true,
    outcome: 'succeeded',
    undoneBy: null,
  };
  const at = new Date().toISOString();
  api.answer(envContracts.history, {
    items: [
      { ...step, auditId: 'a2', at, action: 'audit.undo', reason: null, undoUntil: null },
      { ...step, auditId: 'a1', at, action: 'env.set', reason: 'Ticket 51', undoUntil: null },
    ],
    nextCursor: 'older',
  });
  const { user } = renderAt('/demo/env', <Env />);
  await user.click(await screen.findByRole('button', { name: 'History of NOTE' }));
  const history = within(await screen.findByRole('dialog', { name: 'History of NOTE' }));
  await history.findByText('Ticket 51');
  history.getByText('Older changes are in the audit log.');
  expect(history.getAllByText(/^(Undone|Changed)$/)).toHaveLength(2);
  expect(window.location.search).toBe('?history=NOTE');
});

it('opens an earlier value to be saved again, where it is known in full and not the present one', {
  tags: ['long'],
}, async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'NOTE', value: 'three' })]));
  const step = { actor: 'a', action: 'env.set', changed: true, outcome: 'succeeded', undoneBy: null };
  const at = new Date().toISOString();
  const more = { at, reason: null, undoUntil: null, kept: false };
  api.answer(envContracts.history, {
    items: [
      { ...step, ...more, auditId: 'a4', from: 'two', fromCut: false, to: 'three' },
      { ...step, ...more, auditId: 'a3', from: 'three', fromCut: false, to: 'two' },
      { ...step, ...more, auditId: 'a2', from: 'onl…', fromCut: true, to: 'three' },
      { ...step, ...more, auditId: 'a1', from: null, fromCut: false, to: 'onl…' },
    ],
    nextCursor: null,
  });
  const { user } = renderAt('/demo/env?history=NOTE', <Env />);
  const use = await screen.findAllByRole('button', { name: 'Restore this value…' });
  expect(use).toHaveLength(1);
  await user.click(use[0]!);
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit NOTE' }));
  expect((drawer.getByLabelText('Value') as HTMLTextAreaElement).value).toBe('two');
  expect(screen.queryByRole('dialog', { name: 'History of NOTE' })).toBeNull();
  api.answer(envContracts.set, changed('NOTE'));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.asked(envContracts.set)).toMatchObject([{ name: 'NOTE', value: 'two' }]));
});

it('restores a secret that undo keeps by its change, and shows neither value', async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'TOKEN', secretBy: 'name' })]));
  const step = { actor: 'ann', action: 'env.set', changed: true, outcome: 'succeeded', undoneBy: null };
  const of = { at: new Date().toISOString(), reason: null, undoUntil: null, from: null, to: null };
  api.answer(envContracts.history, {
    items: [
      { ...step, ...of, auditId: 'a2', fromCut: false, kept: true },
      { ...step, ...of, auditId: 'a1', fromCut: false, kept: false },
    ],
    nextCursor: null,
  });
  api.answer(envContracts.set, changed('TOKEN'));
  const { user } = renderAt('/demo/env?history=TOKEN', <Env />);
  const restore = await screen.findAllByRole('button', { name: 'Restore this value…' });
  expect(restore).toHaveLength(1);
  await user.click(restore[0]!);
  const dialog = await screen.findByRole('dialog', { name: 'Restore a value of TOKEN' });
  expect(textOf(dialog)).toContain('The value that ann replaced');
  await user.click(within(dialog).getByRole('button', { name: 'Restore' }));
  await screen.findByText('TOKEN restored');
  const [sent] = api.asked(envContracts.set);
  expect(sent).toMatchObject({ name: 'TOKEN', valueBefore: 'a2', etag: 'etag-of-the-list' });
  expect(sent).not.toHaveProperty('value');
});

it('calls the variable without a name so, and asks for it by what the list calls it', async () => {
  api.answer(envContracts.list, listOf([variable({ name: EMPTY_NAME })]));
  api.answer(envContracts.history, { items: [], nextCursor: null });
  const { user } = renderAt('/demo/env', <Env />);
  expect((await rowOf('(empty name)')).textContent).not.toContain(EMPTY_NAME);
  await user.click(screen.getByRole('button', { name: 'History of (empty name)' }));
  await screen.findByRole('dialog', { name: 'History of (empty name)' });
  await waitFor(() => expect(api.asked(envContracts.history)).toMatchObject([{ name: EMPTY_NAME }]));
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'More for (empty name)' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
  const drawer = within(await screen.findByRole('dialog', { name: /\(empty name\)/ }));
  expect(drawer.getAllByText('(empty name)').length).toBeGreaterThan(0);
});

it('shows nothing of it to support, product and viewers, and asks for nothing', async () => {
  for (const role of ['support', 'product', 'viewer'] as const) {
    const { unmount } = renderAt('/demo/env?history=JWT_SECRET', <Env />, { role });
    expect(screen.queryByRole('heading', { name: 'Environment' })).toBeNull();
    expect(textOf(document.body)).not.toContain('JWT_SECRET');
    unmount();
  }
});

it('offers no change on a read-only connection', async () => {
  api.answer(envContracts.list, MIXED);
  renderAt('/locked/env', <Env />, { connection: { id: 'locked', name: 'Archive', readOnly: true } });
  await rowOf('JWT_SECRET');
  await waitFor(() => screen.getByText(/Archive is read-only/));
  const buttons = screen
    .getAllByRole('button')
    .map((button) => button.getAttribute('aria-label') ?? button.textContent);
  expect(buttons.filter((name) => /^(Edit|More|Create|New|Import)/.test(name ?? ''))).toEqual([]);
  expect(buttons).toContain('Export');
});
