import { act, fireEvent, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import Presence from '@/app/(console)/[connection]/presence/page';
import { undoContract } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { type OnlineUser, presenceContracts } from '@/lib/presence/schema';
import { refOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
afterEach(() => void vi.useRealTimers());
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';

const user = (id: string, change: Partial<OnlineUser> = {}): OnlineUser => ({
  ...refOf(id, { app: 'social' }),
  memberId: Buffer.from(id).toString('base64url'),
  ...change,
});

type Online = Result<typeof presenceContracts.get>;
const online = (items: OnlineUser[], change: Partial<Online> = {}): Online => ({
  items,
  nextCursor: null,
  online: items.length,
  withoutProfile: 0,
  key: 'onlines',
  keyId: 'b25saW5lcw',
  ...change,
});

const serve = (answer: Online, points: Result<typeof presenceContracts.history>['points'] = []): void => {
  api.answer(presenceContracts.get, ({ q }) => ({
    ...answer,
    items: answer.items.filter(({ id, title }) => !q || `${id} ${title}`.includes(q)),
  }));
  api.answer(presenceContracts.history, { stepSeconds: 60, points });
};

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'admin' }) =>
  renderAt(`/demo/presence${search}`, <Presence />, options);
const figures = async () => textOf(await screen.findByRole('region', { name: 'Users online in figures' }));
const usersShown = () => rowsOf('Users online').map((row) => cellOf(row, 'User'));

it('shows who is online with their profiles, and leads to each user', async () => {
  serve(
    online(
      [
        user('u1', { title: 'Ann Lee' }),
        user('u2', { exists: false }),
        user('u3', { exists: null }),
        user('\\xff|1', { linkable: false, exists: null }),
        user('long…', { linkable: false, exists: null, memberId: 'h.digest' }),
      ],
      { online: 12_345, withoutProfile: 1 },
    ),
  );
  open();
  const ann = await rowWith('Ann Lee');
  expect(within(ann).getByRole('link', { name: 'Ann Lee' }).getAttribute('href')).toBe(
    '/demo/entities?kind=social.user&id=u1',
  );
  expect([cellOf(ann, 'Id'), cellOf(ann, 'Profile')]).toEqual(['u1', 'stored']);
  expect(cellOf(await rowWith('u2'), 'Profile')).toBe('not stored');
  expect(cellOf(await rowWith('u3'), 'Profile')).toBe('—');
  const broken = await rowWith('\\xff|1');
  expect(cellOf(broken, 'Profile')).toBe('not an id');
  expect(within(broken).queryByRole('link')).toBeNull();
  expect(within(await rowWith('long…')).queryByRole('button')).toBeNull();
  expect(await figures()).toContain('Online12,345');
  expect(await figures()).toContain('Without profile1');
  expect(screen.getByRole('link', { name: 'onlines' }).getAttribute('href')).toBe('/demo/keys/b25saW5lcw');
});

it('holds the rows while the list is in use, until updates are applied', { tags: ['long'] }, async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve(online([user('u1'), user('u2')]));
  const { user: hand } = open();
  const row = await rowWith('u2');
  act(() => within(row).getByRole('link').focus());
  serve(online([user('u0'), user('u1')]));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  const apply = await screen.findByRole('button', { name: /Apply$/ });
  expect(usersShown()).toEqual(['u1', expect.stringContaining('u2')]);
  await hand.click(apply);
  await waitFor(() => expect(usersShown()).toEqual(['u0', 'u1']));
});

it('shows a count that is unknown as such', async () => {
  serve(online([user('u1')], { online: 900_000, withoutProfile: null }));
  open();
  await rowWith('u1');
  expect(await figures()).toContain('Without profile—not counted: too many users online, or unreadable');
});

it('searches by what the address says, and writes the search there', { tags: 'long' }, async () => {
  serve(online([user('u1', { title: 'Ann' }), user('u2', { title: 'Bob' })]));
  const { user: hand, fill } = open('?q=Ann');
  await waitFor(() => expect(usersShown()).toEqual(['Ann']));
  expect(api.asked(presenceContracts.get).at(-1)).toMatchObject({ q: 'Ann' });
  await fill(screen.getByRole('searchbox', { name: 'Search by id or name' }), 'Bob');
  await waitFor(() => expect(usersShown()).toEqual(['Bob']));
  expect(window.location.search).toBe('?q=Bob');
  await fill(screen.getByRole('searchbox'), 'Zoe');
  await screen.findByText('Nothing matches these filters.');
  await hand.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(usersShown()).toEqual(['Ann', 'Bob']));
  expect(window.location.search).toBe('');
});

it('loses no click, and no drawer, to a filter that was typed just before', async () => {
  serve(online([user('u1'), user('u2')]));
  const { user: hand, fill } = open();
  const button = within(await rowWith('u2')).getByRole('button', { name: 'Take u2 offline' });
  await fill(screen.getByRole('searchbox', { name: 'Search by id or name' }), 'u2');
  fireEvent.pointerDown(button);
  await waitFor(() => expect(window.location.search).toBe('?q=u2'));
  expect(button.isConnected).toBe(true);
  fireEvent.pointerUp(button);
  fireEvent.click(button);
  const reason = await screen.findByRole('textbox', { name: 'Reason' });
  await fill(reason, 'typed');
  expect(usersShown()).toHaveLength(2);
  expect(reason.isConnected).toBe(true);
  await hand.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(usersShown()).toHaveLength(1));
});

it('pauses a search that cannot go on, and continues it', { tags: ['long'] }, async () => {
  serve(online([]));
  api.answer(presenceContracts.get, ({ cursor }) => {
    if (cursor) throw new Problem('throttled', 'Too many requests.');
    return online([], { online: 100_000, nextCursor: 'next' });
  });
  const { user: hand } = open('?q=none');
  await screen.findByText('No match so far');
  api.answer(presenceContracts.get, ({ cursor }) =>
    online(cursor ? [user('none-1')] : [], { online: 100_000, nextCursor: cursor ? null : 'next' }),
  );
  await hand.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(usersShown()).toEqual(['none-1']));
});

it('says what would be here when nobody is online', async () => {
  serve(online([]));
  open();
  await screen.findByText('Nobody is online');
  await screen.findByText('No samples in this range');
  expect(await figures()).toContain('Online0');
});

it.each([
  ['admin', true],
  ['support', false],
  ['product', false],
] as const)('offers %s to take a user offline: %s', async (role, offered) => {
  serve(online([user('u1')]));
  open('', { role });
  const row = await rowWith('u1');
  expect(within(row).queryByRole('button', { name: 'Take u1 offline' }) !== null).toBe(offered);
});

it('takes a user offline, says what that does not do, and offers Undo', { tags: ['long'] }, async () => {
  serve(online([user('u1', { title: 'Ann' }), user('u2', { title: 'Bob' })]));
  api.answer(presenceContracts.setOffline, () => {
    serve(online([user('u2', { title: 'Bob' })]));
    return {
      removed: true,
      online: 1,
      auditId: AUDIT_ID,
      undoUntil: new Date(Date.now() + 60_000).toISOString(),
    };
  });
  api.answer(undoContract, { undone: 1, conflicts: [], auditId: AUDIT_ID });
  const { user: hand, fill } = open();
  await rowWith('Ann');
  await hand.click(screen.getByRole('button', { name: 'Take Ann offline' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Take Ann offline' }));
  drawer.getByText(/may add the user again/);
  drawer.getByText(/They stay signed in/);
  await fill(drawer.getByLabelText('Reason'), 'Ticket 7: left hours ago');
  await hand.click(drawer.getByRole('button', { name: 'Take offline' }));
  const toast = within((await screen.findByText('Ann is offline · 1 user online')).closest('[role=status]')!);
  expect(api.asked(presenceContracts.setOffline)).toEqual([
    { userId: 'u1', reason: 'Ticket 7: left hours ago' },
  ]);
  await waitFor(() => expect(usersShown()).toEqual(['Bob']));
  await hand.click(toast.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Change undone.');
  expect(api.asked(undoContract)).toEqual([{ auditId: AUDIT_ID }]);
});

it('names what is no id by its member, after a confirmation on production, and shows a refusal', async () => {
  serve(online([user('\\xff', { linkable: false })]));
  api.refuse(presenceContracts.setOffline, 'changed', 'The list changed.');
  const options = { role: 'admin', connection: { environment: 'production' } } as const;
  const { user: hand, fill } = open('', options);
  await rowWith('\\xff');
  await hand.click(screen.getByRole('button', { name: 'Take \\xff offline' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Take \\xff offline' }));
  const verb = drawer.getByRole('button', { name: 'Take offline' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/Production: type/), 'demo');
  await hand.click(verb);
  await drawer.findByText('The list changed.');
  const memberId = Buffer.from('\\xff').toString('base64url');
  expect(api.asked(presenceContracts.setOffline)).toEqual([{ memberId, confirm: 'demo' }]);
});

it('shows names as text, whatever they contain', async () => {
  serve(online([user('<img src=x>:*', { title: '<b>\u202eann</b>' })]));
  open();
  const row = await rowWith('<b>');
  expect(textOf(row)).toContain('\\u202eann');
  expect(document.querySelector('img')).toBeNull();
  expect(within(row).getByRole('link').getAttribute('href')).toBe(
    '/demo/entities?kind=social.user&id=%3Cimg+src%3Dx%3E%3A*',
  );
});

it('shows users online over time for the range of the address, also as a table', async () => {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  serve(online([user('u1')]), [
    { at: at(50), online: 1500 },
    { at: at(10), online: 7 },
  ]);
  const { user: hand } = open('?range=7d');
  await screen.findByRole('img', { name: 'Users online on demo over time' });
  expect(api.asked(presenceContracts.history)[0]).toMatchObject({ stepSeconds: 600 });
  await hand.click(screen.getByText('1 h'));
  await waitFor(() => expect(window.location.search).toBe('?range=1h'));
  await waitFor(() => expect(api.asked(presenceContracts.history).at(-1)).toMatchObject({ stepSeconds: 10 }));
  await hand.click(screen.getByRole('button', { name: 'Show as table' }));
  await rowWith('1,500');
});

it('keeps the list when the history cannot be read, and the reason when the list cannot', async () => {
  serve(online([user('u1')]));
  api.refuse(presenceContracts.history, 'forbidden', 'No history for you.');
  const { unmount } = open();
  await rowWith('u1');
  expect(textOf(await screen.findByRole('alert'))).toContain('No history for you.');
  unmount();
  serve(online([]));
  api.refuse(presenceContracts.get, 'not_found', 'The list of users online is not a set.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('is not a set');
});
