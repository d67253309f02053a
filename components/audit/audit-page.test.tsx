import { act, screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Audit from '@/app/(console)/audit/page';
import { type AuditEntry, auditContracts, undoContract } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf } from '@/scripts/testing/table';

const api = fakeApi();
const LABEL = 'Audit entries, newest first';
const id = (n: number): string => `00000000-0000-7000-8000-${n.toString().padStart(12, '0')}`;

const entry = (n: number, change: Partial<AuditEntry> = {}): AuditEntry => ({
  id: id(n),
  at: new Date(Date.now() - n * 60_000).toISOString(),
  actor: 'admin@example.org',
  actorId: 'user-admin',
  role: 'admin',
  action: 'flags.set',
  connection: 'demo',
  target: `FEATURE_${n}`,
  reason: `reason ${n}`,
  outcome: 'succeeded',
  detail: null,
  before: { enabled: false },
  after: { enabled: true },
  finishedAt: null,
  undoUntil: new Date(Date.now() + 3_600_000).toISOString(),
  undoneBy: null,
  requestId: null,
  ...change,
});

type Status = Result<typeof auditContracts.status>;
const statusOf = (change: Partial<Status> = {}): Status => ({
  rows: 12,
  maxRows: 1_000_000,
  verified: { at: new Date().toISOString(), ok: true, entries: 12, firstBadId: null, problem: null },
  alarm: null,
  ...change,
});
beforeEach(() => api.answer(auditContracts.status, statusOf()));

const ENTRIES = [1, 2, 3].map((n) => entry(n));
const pageOf = (items: AuditEntry[]) => ({ items, nextCursor: null });

const serve = (entries: AuditEntry[] = ENTRIES): void =>
  api.answer(auditContracts.list, (asked) =>
    pageOf(
      entries.filter(
        (entry) => (!asked.id || entry.id === asked.id) && (!asked.target || entry.target === asked.target),
      ),
    ),
  );

it('asks no more for a next page whose cursor is refused again and again', { tags: 'long' }, async () => {
  let refused = 0;
  api.answer(auditContracts.list, ({ cursor }) => {
    if (!cursor) return { items: ENTRIES, nextCursor: 'old' };
    refused += 1;
    // Stops the test where it would otherwise never end.
    if (refused > 10) return pageOf([]);
    throw new Problem('cursor_expired', 'begin again');
  });
  renderAt('/audit', <Audit />);
  expect(await screen.findByText(/could not be refreshed/)).toBeTruthy();
  expect(rowsOf(LABEL)).toHaveLength(3);
  await act(() => new Promise(setImmediate));
  expect(refused).toBe(3);
});

const body = () => screen.getByRole('table', { name: LABEL }).querySelector('tbody')!;
const scroller = () => screen.getByRole('region', { name: LABEL });

it('dims the rows of the previous query, and does nothing to them, until the answer is there', {
  tags: 'long',
}, async () => {
  serve();
  const { user, fill } = renderAt('/audit', <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
  expect([body().inert, scroller().getAttribute('aria-busy')]).toEqual([false, 'false']);
  const release = api.hold(auditContracts.list, pageOf([ENTRIES[1]!]));
  await fill(screen.getByRole('searchbox', { name: 'Target' }), 'FEATURE_2');
  await waitFor(() => expect(window.location.search).toContain('target=FEATURE_2'));
  expect(rowsOf(LABEL)).toHaveLength(3);
  expect([body().inert, scroller().getAttribute('aria-busy')]).toEqual([true, 'true']);
  screen.getByRole<HTMLElement>('searchbox', { name: 'Target' }).blur();
  await user.keyboard('jj{Enter}');
  expect(rowsOf(LABEL)).not.toContain(document.activeElement);
  expect(window.location.search).not.toContain('entry=');
  release();
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  expect([body().inert, scroller().getAttribute('aria-busy')]).toEqual([false, 'false']);
});

it('keeps the rows alive while the same query is asked again', { tags: ['long'] }, async () => {
  serve();
  const { user } = renderAt('/audit', <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
  const before = api.asked(auditContracts.list).length;
  const release = api.hold(auditContracts.list, pageOf(ENTRIES));
  window.dispatchEvent(new Event('focus'));
  document.dispatchEvent(new Event('visibilitychange'));
  expect([body().inert, scroller().getAttribute('aria-busy')]).toEqual([false, 'false']);
  await user.keyboard('j');
  expect(document.activeElement).toBe(rowsOf(LABEL)[0]);
  await user.keyboard('{Enter}');
  expect(window.location.search).toContain(`entry=${id(1)}`);
  release();
  await screen.findByRole('dialog');
  expect(api.asked(auditContracts.list).length).toBeGreaterThan(before);
});

it('opens an entry by its button and URL, and undoes it with a reason', { tags: 'long' }, async () => {
  serve();
  const { user, fill } = renderAt(`/audit?target=FEATURE_2`, <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  await user.click(within(rowsOf(LABEL)[0]!).getByRole('button'));
  expect(window.location.search).toContain(`entry=${id(2)}`);
  const row = await screen.findByRole('row', { name: /enabled/ });
  expect(textOf(row)).toContain('true');
  await user.click(screen.getByRole('button', { name: 'Undo…' }));
  api.answer(undoContract, { undone: 1, conflicts: [], auditId: id(9) });
  serve([entry(2, { undoneBy: id(9) })]);
  await fill(await screen.findByLabelText('Reason'), 'not meant');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  const drawer = await screen.findByRole('dialog');
  await waitFor(() => expect(textOf(drawer)).toContain('Change undone.'));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo…' })).toBeNull());
  expect(api.asked(undoContract)).toEqual([{ auditId: id(2), reason: 'not meant' }]);
});

it("needs the production connection's id where the undone change needed it", { tags: 'long' }, async () => {
  serve([entry(1, { connection: 'live' })]);
  api.answer(undoContract, ({ confirm }) => {
    if (confirm === 'live') return { undone: 1, conflicts: [], auditId: id(9) };
    throw new Problem('confirmation_required', 'This is production.', { extensions: { confirm: 'live' } });
  });
  const { user, fill } = renderAt(`/audit?entry=${id(1)}`, <Audit />);
  await user.click(await screen.findByRole('button', { name: 'Undo…' }));
  await fill(await screen.findByLabelText('Reason'), 'not meant');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  const field = await screen.findByLabelText('Production: type live to confirm.');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Undo' }).disabled).toBe(true);
  await fill(field, 'live');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(textOf(screen.getByRole('dialog'))).toContain('Change undone.'));
  const auditId = id(1);
  expect(api.asked(undoContract)).toEqual([
    { auditId, reason: 'not meant' },
    { auditId, reason: 'not meant', confirm: 'live' },
  ]);
});

it('lists what changed since and was not undone', { tags: ['long'] }, async () => {
  serve();
  api.answer(undoContract, {
    undone: 0,
    conflicts: [{ what: 'FEATURE_1', why: 'It changed since.' }],
    auditId: id(9),
  });
  const { user } = renderAt(`/audit?entry=${id(1)}`, <Audit />);
  await user.click(await screen.findByRole('button', { name: 'Undo…' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  const status = () => textOf(within(screen.getByRole('dialog')).getByRole('status'));
  await waitFor(() => expect(status()).toContain('Nothing was undone.'));
  expect(status()).toContain('FEATURE_1');
});

it('filters by the URL, without empty and invalid values', { tags: ['long'] }, async () => {
  serve([]);
  const { unmount } = renderAt('/audit?to=2020-01-01T00:00:00.000Z&outcome=failed', <Audit />);
  await screen.findByText('Nothing matches these filters.');
  expect(api.asked(auditContracts.list)[0]).toMatchObject({
    to: '2020-01-01T00:00:00.000Z',
    outcome: 'failed',
  });
  unmount();
  serve();
  renderAt('/audit?outcome=nonsense&from=nonsense', <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
  expect(api.asked(auditContracts.list).at(-1)).not.toHaveProperty('outcome');
  expect(api.asked(auditContracts.list).at(-1)).not.toHaveProperty('from');
});

it('shows the entries of whole days, and all again', { tags: ['long'] }, async () => {
  serve();
  const { user } = renderAt('/audit', <Audit />, { preferences: { timeZone: 'Asia/Kathmandu' } });
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
  const asked = () => api.asked(auditContracts.list).at(-1);
  const yesterday = screen.getByRole('button', { name: 'Yesterday' });
  await user.click(yesterday);
  await waitFor(() => expect(asked()).toHaveProperty('to'));
  const { from, to } = asked()!;
  expect(Date.parse(to!) - Date.parse(from!)).toBe(86_400_000);
  expect(from).toMatch(/T18:15:00.000Z$/);
  expect(yesterday.getAttribute('aria-pressed')).toBe('true');
  await user.click(yesterday);
  await waitFor(() => expect(window.location.search).toBe(''));
  expect(yesterday.getAttribute('aria-pressed')).toBe('false');
});

it('shows what is about one thing, by its name, until all entries are wanted', async () => {
  serve();
  const { user } = renderAt('/audit?connection=demo&subject=variable%3AFEATURE_2', <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
  const asked = () => api.asked(auditContracts.list).at(-1);
  expect(asked()).toMatchObject({ connection: 'demo', subject: 'variable:FEATURE_2' });
  expect(textOf(document.body)).toContain('Only entries about the flag or variable FEATURE_2.');
  const csv = new URL((await exported(user, 'CSV')).href);
  expect(csv.searchParams.get('subject')).toBe('variable:FEATURE_2');
  await user.click(screen.getByRole('button', { name: 'Show all entries' }));
  await waitFor(() => expect(asked()).not.toHaveProperty('subject'));
  expect(window.location.search).toBe('?connection=demo');
  expect(screen.queryByText(/Only entries about/)).toBeNull();
});

const exported = async (user: ReturnType<typeof renderAt>['user'], format: string) => {
  // The list has an export of its loaded rows, too.
  await user.click(screen.getAllByRole('button', { name: 'Export' })[0]!);
  const item = await screen.findByRole<HTMLAnchorElement>('menuitem', { name: format });
  await user.keyboard('{Escape}');
  return item;
};

it('asks for no subject that cannot be, or without its connection', async () => {
  serve();
  for (const search of ['subject=nobody%3A4&connection=demo', 'subject=user%3A4']) {
    const { unmount } = renderAt(`/audit?${search}`, <Audit />);
    await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(3));
    expect(api.asked(auditContracts.list).at(-1)).not.toHaveProperty('subject');
    expect(screen.queryByText(/Only entries about/)).toBeNull();
    unmount();
  }
  renderAt('/audit?subject=account%3Aann%40example.org', <Audit />);
  await screen.findByText(/Only entries about the Keyward user/);
  expect(api.asked(auditContracts.list).at(-1)).toMatchObject({ subject: 'account:ann@example.org' });
});

it('shows targets by name, and in the entry what was recorded', async () => {
  serve([
    entry(1, { action: 'audit.undo', target: id(7), before: { action: 'flags.set', target: 'FEATURE_9' } }),
    entry(2, { action: 'users.update', target: id(8), after: { email: 'ann@example.org', name: 'Ann' } }),
    entry(3, { action: 'users.update', target: id(9), before: null, after: null }),
    entry(4, { action: 'families.invalidate', target: 'shop.carts (id=4)', targetName: 'Carts' }),
  ]);
  const { user } = renderAt('/audit', <Audit />);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(4));
  const rows = rowsOf(LABEL).map(textOf);
  for (const [i, name] of ['FEATURE_9', 'ann@example.org', id(9), 'Carts'].entries())
    expect(rows[i]).toContain(name);
  expect(rows[3]).toContain('shop.carts (id=4)');
  await user.click(within(rowsOf(LABEL)[0]!).getByRole('button'));
  const drawer = await screen.findByRole('dialog');
  await waitFor(() => expect(textOf(drawer)).toContain(id(7)));
  expect(textOf(drawer)).toContain('FEATURE_9');
});

it('says that an entry was not found', { tags: ['long'] }, async () => {
  serve();
  renderAt(`/audit?entry=${id(0)}`, <Audit />);
  expect(textOf(await screen.findByRole('dialog'))).toBeDefined();
  await screen.findByText('Entry not found');
});

it('says when the log was last verified automatically, and the result', { tags: ['long'] }, async () => {
  serve();
  const { unmount } = renderAt('/audit', <Audit />);
  await screen.findByText(/Chain verified .* its 12 records/);
  expect(screen.queryByRole('button', { name: 'Acknowledge alarm' })).toBeNull();
  unmount();
  const verified = { ...statusOf().verified!, ok: false, problem: 'an entry was changed' };
  api.answer(auditContracts.status, statusOf({ verified }));
  renderAt('/audit', <Audit />);
  await screen.findByText(/Verification failed .*: an entry was changed/);
});

it('shows an alarm until it is acknowledged', { tags: ['long'] }, async () => {
  serve();
  const alarm = { since: new Date().toISOString(), problem: 'the newest entries were removed' };
  api.answer(auditContracts.status, statusOf({ alarm }));
  const { user } = renderAt('/audit', <Audit />);
  expect(textOf(await screen.findByRole('alert'))).toContain('the newest entries were removed');
  api.answer(auditContracts.verify, { ok: true, entries: 13, firstBadId: null, problem: null });
  api.answer(auditContracts.status, statusOf());
  await user.click(screen.getByRole('button', { name: 'Acknowledge alarm' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(api.asked(auditContracts.verify)).toEqual([{ acknowledge: true }]);
});

it('warns about a log that is nearly full, and says what to do', { tags: ['long'] }, async () => {
  serve();
  api.answer(auditContracts.status, statusOf({ rows: 799_999 }));
  const { unmount } = renderAt('/audit', <Audit />);
  await screen.findByText(/Chain verified/);
  expect(screen.queryByText(/holds/)).toBeNull();
  unmount();
  api.answer(auditContracts.status, statusOf({ rows: 800_000 }));
  renderAt('/audit', <Audit />);
  await screen.findByText('Audit log: 800,000 of 1,000,000 rows used');
  screen.getByText(/Export them, or lower KEYWARD_AUDIT_DAYS/);
});

it('is not shown to other roles, and sends no request', () => {
  for (const role of ['viewer', 'support', 'product'] as const) {
    const { unmount } = renderAt('/audit', <Audit />, { role });
    screen.getByText('You don’t have access to this page');
    expect(screen.queryByRole('table')).toBeNull();
    unmount();
  }
});
