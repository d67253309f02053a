import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import { type SavedView, savedViewContracts } from '@/lib/saved-views/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import type { DataColumn } from './columns';
import { DataTable } from './data-table';

const api = fakeApi();

const COLUMNS: DataColumn<string>[] = [
  { id: 'name', header: 'Name', pinned: true, value: (row) => row },
  { id: 'owner', header: 'Owner', value: (row) => `${row}'s owner` },
];

const view = (change: Partial<SavedView> = {}): SavedView => ({
  id: 'v1',
  name: 'Mine',
  table: 'locks',
  href: '/demo/locks?problem=noTtl',
  columns: { owner: false },
  shared: false,
  by: 'Test admin',
  mayDelete: true,
  ...change,
});

let stored: SavedView[] = [];
beforeEach(() => {
  stored = [view(), view({ id: 'v2', name: 'Ours', shared: true, by: 'Sam', mayDelete: false })];
  api.answer(savedViewContracts.list, () => ({
    items: [
      ...stored,
      view({ id: 'v3', name: 'Tokens', table: 'tokens' }),
      view({ id: 'v4', name: 'Elsewhere', href: '/demo/x' }),
    ],
    nextCursor: null,
  }));
  api.answer(savedViewContracts.create, (input) => {
    const saved = view({ ...input, id: 'v4' });
    stored.push(saved);
    return { view: saved, auditId: 'a' };
  });
  api.answer(savedViewContracts.delete, ({ id }) => {
    stored = stored.filter((each) => each.id !== id);
    return { id, auditId: 'a' };
  });
});

const open = async (role: 'admin' | 'viewer' = 'admin') => {
  const table = (
    <DataTable
      label="Locks"
      name="locks"
      columns={COLUMNS}
      rows={['a']}
      rowId={(row) => row}
      loading={false}
      empty=""
      savesViews
    />
  );
  const { user, fill } = renderAt('/demo/locks?q=pub', table, { role });
  await user.click(screen.getByRole('button', { name: 'Saved views' }));
  const drawer = await screen.findByRole('dialog', { name: 'Saved views' });
  await within(drawer).findByRole('button', { name: 'Mine' });
  return { user, fill, drawer };
};

it('opens a view of this list, with its filter and columns', async () => {
  const { user, fill, drawer } = await open();
  within(drawer).getByRole('button', { name: 'Ours' });
  await fill(within(drawer).getByRole('textbox', { name: 'Name' }), 'Not saved');
  expect(within(drawer).queryByRole('button', { name: /^(Tokens|Elsewhere)$/ })).toBeNull();
  screen.getByRole('columnheader', { name: 'Owner' });
  await user.click(within(drawer).getByRole('button', { name: 'Mine' }));
  await waitFor(() => expect(window.location.search).toBe('?problem=noTtl'));
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Owner' })).toBeNull());
  expect(api.asked(savedViewContracts.create)).toEqual([]);
});

it('saves the list as it is', { tags: ['long'] }, async () => {
  const { user, fill, drawer } = await open();
  await fill(within(drawer).getByRole('textbox', { name: 'Name' }), 'Published');
  await user.click(within(drawer).getByRole('checkbox', { name: /^Share/ }));
  await user.click(within(drawer).getByRole('button', { name: 'Save this view' }));
  await screen.findByText('View Published saved');
  expect(api.asked(savedViewContracts.create)).toEqual([
    { name: 'Published', table: 'locks', href: '/demo/locks?q=pub', columns: {}, shared: true },
  ]);
});

it('deletes a view, and offers that only where it is allowed', async () => {
  const { user, drawer } = await open('viewer');
  expect(within(drawer).queryByRole('checkbox')).toBeNull();
  expect(within(drawer).queryByRole('button', { name: 'Delete the view Ours' })).toBeNull();
  await user.click(within(drawer).getByRole('button', { name: 'Delete the view Mine' }));
  expect(stored.map(({ name }) => name)).toContain('Mine');
  // Asked once more, because not everybody can undo it.
  await user.click(within(drawer).getByText('Delete the view Mine'));
  await waitFor(() => expect(within(drawer).queryByRole('button', { name: 'Mine' })).toBeNull());
  expect(stored.map(({ name }) => name)).toEqual(['Ours']);
});
