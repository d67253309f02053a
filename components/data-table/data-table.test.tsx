import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor } from '@testing-library/react/pure';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { actionsColumn, countColumn } from './column-kinds';
import { cardPlaces, columnsWithin, type DataColumn } from './columns';
import { DataTable } from './data-table';
import { RowButton } from './row-button';
import type { DataTableProps } from './table-props';

interface Sender {
  ip: string;
  requests: number;
}

const onBan = vi.fn<(ip: string) => void>();
const onOpen = vi.fn<(sender: Sender) => void>();
beforeEach(() => {
  onBan.mockClear();
  onOpen.mockClear();
});

const COLUMNS: DataColumn<Sender>[] = [
  { id: 'ip', header: 'Address', pinned: true, value: ({ ip }) => ip },
  countColumn({ id: 'requests', header: 'Requests', sortable: true, of: ({ requests }) => requests }),
  actionsColumn({
    width: 90,
    cell: ({ ip }) => <RowButton hint="Ban" label={`Ban ${ip}`} icon={null} onClick={() => onBan(ip)} />,
  }),
];

const senders = (requests: Record<string, number>): Sender[] =>
  Object.entries(requests)
    .map(([ip, count]) => ({ ip, requests: count }))
    .sort((a, b) => b.requests - a.requests);

let answer: Sender[] = [];
const client = new QueryClient();
const KEY = ['senders'];

const Page = (props: Partial<DataTableProps<Sender>>) => {
  const [view, setView] = useState('requests');
  const query = useQuery({ queryKey: KEY, queryFn: () => answer, staleTime: Number.POSITIVE_INFINITY });
  const rows = query.data ?? [];
  return (
    <>
      <button type="button" onClick={() => setView('address')}>
        By address
      </button>
      <DataTable
        label="Senders"
        name="senders"
        columns={COLUMNS}
        rows={view === 'address' ? rows.toSorted((a, b) => a.ip.localeCompare(b.ip)) : rows}
        rowId={({ ip }) => ip}
        loading={query.isPending}
        live={[view]}
        onOpen={onOpen}
        empty="No senders"
        {...props}
      />
    </>
  );
};

const renderTable = async (props: Partial<DataTableProps<Sender>> = {}) => {
  client.clear();
  answer = senders({ a: 3, b: 2, c: 1 });
  const view = renderAt(
    '/',
    <QueryClientProvider client={client}>
      <Page {...props} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(shown()).toHaveLength(3));
  return view;
};

/** What a refetch by interval brings. */
const refetch = async (requests: Record<string, number>): Promise<void> => {
  answer = senders(requests);
  await act(async () => {
    await client.refetchQueries({ queryKey: KEY });
    // Observers hear of it in the next task.
    await new Promise((resolve) => setTimeout(resolve));
  });
};

const shown = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')].map((row) => row.dataset.row ?? '');
const applyButton = () => screen.queryByRole('button', { name: /Apply/ });

it('follows each answer while nobody uses the table', async () => {
  await renderTable();
  await refetch({ a: 3, b: 9 });
  expect(shown()).toEqual(['b', 'a']);
});

it('holds the rows under the pointer, counts what waits, and applies it', async () => {
  const { user } = await renderTable();
  await user.hover(screen.getByRole('button', { name: 'Ban a' }));
  await refetch({ d: 99, c: 50, a: 4 });
  expect(shown()).toEqual(['a', 'b', 'c']);
  expect(textOf(document.querySelector('[data-row="c"]'))).toContain('50');
  expect(textOf(document.querySelector('[data-row="b"]'))).toContain('No longer in the list');
  await user.click(screen.getByRole('button', { name: 'Ban c' }));
  expect(onBan).toHaveBeenCalledWith('c');
  expect(textOf(applyButton())).toBe('3 updates · Apply');
  await user.click(applyButton()!);
  expect(shown()).toEqual(['d', 'c', 'a']);
  expect(applyButton()).toBeNull();
});

it('applies what waits when pointer and focus have left', async () => {
  const { user } = await renderTable();
  await user.hover(screen.getByRole('button', { name: 'Ban a' }));
  await refetch({ c: 50, a: 4 });
  expect(shown()).toEqual(['a', 'b', 'c']);
  await user.hover(screen.getByRole('button', { name: 'By address' }));
  expect(shown()).toEqual(['c', 'a']);
});

it('holds for the focus and for a selection, and shows another order immediately', async () => {
  const { user } = await renderTable({
    selection: { rowLabel: ({ ip }) => `Select ${ip}`, actions: () => 'Ban all' },
  });
  await user.click(screen.getByRole('checkbox', { name: 'Select b' }));
  await user.hover(screen.getByRole('button', { name: 'By address' }));
  await refetch({ c: 50, b: 2, a: 4 });
  expect(shown()).toEqual(['a', 'b', 'c']);
  await refetch({ c: 50, d: 7, b: 2 });
  await user.click(screen.getByRole('button', { name: 'By address' }));
  expect(shown()).toEqual(['b', 'c', 'd']);
});

it('shows a change of one’s own under the pointer', async () => {
  const { user } = await renderTable();
  await user.hover(screen.getByRole('button', { name: 'Ban a' }));
  answer = senders({ a: 3, c: 1 });
  await act(() => client.invalidateQueries({ queryKey: KEY }));
  await waitFor(() => expect(shown()).toEqual(['a', 'c']));
  await refetch({ a: 3, c: 9 });
  expect(shown()).toEqual(['a', 'c']);
});

it('shows a change of one’s own that components hear of late', async () => {
  const { user } = await renderTable();
  await user.hover(screen.getByRole('button', { name: 'Ban a' }));
  notifyManager.setScheduler((notify) => setTimeout(notify, 50));
  answer = senders({ a: 3, c: 1 });
  await act(() => client.invalidateQueries({ queryKey: KEY }));
  await waitFor(() => expect(shown()).toEqual(['a', 'c'])).finally(() =>
    notifyManager.setScheduler((notify) => setTimeout(notify)),
  );
});

it('moves nothing between pressing and releasing, in any table', async () => {
  await renderTable({ live: undefined });
  fireEvent.pointerDown(screen.getByRole('button', { name: 'Ban a' }));
  await refetch({ b: 9, a: 3 });
  expect(shown()).toEqual(['a', 'b', 'c']);
  fireEvent.pointerUp(document.body);
  await waitFor(() => expect(shown()).toEqual(['b', 'a']));
});

it('opens the row that has the focus, wherever it moved', async () => {
  const { user } = await renderTable({ live: undefined });
  await user.keyboard('jj');
  expect((document.activeElement as HTMLElement).dataset.row).toBe('b');
  await refetch({ c: 9, a: 3, b: 1 });
  expect(shown()).toEqual(['c', 'a', 'b']);
  (document.querySelector('[data-row="b"]') as HTMLElement).focus();
  await user.keyboard('{Enter}');
  expect(onOpen).toHaveBeenCalledWith({ ip: 'b', requests: 1 });
  (document.querySelector('[data-row="c"]') as HTMLElement).focus();
  await user.keyboard('j{Enter}');
  expect(onOpen).toHaveBeenLastCalledWith({ ip: 'a', requests: 3 });
});

it('makes rows of an earlier filter inert and busy', async () => {
  await renderTable({ placeholder: true });
  expect(document.querySelector('tbody')?.hasAttribute('inert')).toBe(true);
  expect(screen.getByRole('region', { name: 'Senders' }).getAttribute('aria-busy')).toBe('true');
});

it('says that it loads, and not that there is nothing', () => {
  renderAt(
    '/',
    <QueryClientProvider client={client}>
      <Page loading rows={[]} />
    </QueryClientProvider>,
  );
  screen.getByText('Loading…');
  expect(screen.queryByText('No senders')).toBeNull();
});

it('renders cards on a phone: title, facts by label, actions with their words, an order to choose', async () => {
  narrowPage();
  const onSort = vi.fn();
  const { user } = await renderTable({ sorting: { by: 'requests', order: 'desc', onSort } });
  const card = screen.getAllByRole('listitem')[0]!;
  expect(screen.queryByRole('table')).toBeNull();
  expect(textOf(card)).toBe('aRequests3Ban');
  await user.click(screen.getByRole('button', { name: 'Ban a' }));
  expect(onBan).toHaveBeenCalledWith('a');
  await user.click(card);
  expect(onOpen).toHaveBeenCalledWith({ ip: 'a', requests: 3 });
  await user.click(screen.getByRole('button', { name: 'Descending; reverse the order' }));
  expect(onSort).toHaveBeenCalledWith('requests', 'asc');
  await refetch({ d: 99, a: 3, b: 2, c: 1 });
  expect(shown()).toEqual(['a', 'b', 'c']);
});

it('folds the rest of a card away where something stands beside the title', async () => {
  narrowPage();
  const beside: DataColumn<Sender>[] = COLUMNS.map((column) =>
    column.id === 'requests' ? { ...column, card: 'head' } : column,
  );
  const { user } = await renderTable({ columns: beside });
  const card = screen.getAllByRole('listitem')[0]!;
  expect(textOf(card)).toBe('a3');
  const more = screen.getByRole('button', { name: 'Details a' });
  expect(more.getAttribute('aria-expanded')).toBe('false');
  await user.click(more);
  expect(textOf(card)).toBe('a3Ban');
  expect(onOpen).not.toHaveBeenCalled();
  await user.click(more);
  expect(textOf(card)).toBe('a3');
});

it('finds a place for each column of a card by itself, and takes hints', () => {
  const places = (columns: Partial<DataColumn<Sender>>[]) => {
    const found = cardPlaces(columns as DataColumn<Sender>[]);
    return Object.entries(found).map(
      ([place, ofPlace]) => `${place}: ${ofPlace.map(({ id }) => id).join(' ')}`,
    );
  };
  const at = { id: 'at', header: 'When' };
  const name = { id: 'name', header: 'Name', pinned: true };
  const buttons = { id: 'actions', header: '', pinned: true };
  expect(places([buttons, at, name])).toEqual([
    'title: name',
    'head: ',
    'fact: at',
    'action: actions',
    'hidden: ',
  ]);
  expect(places([at, buttons])).toEqual(['title: at', 'head: ', 'fact: ', 'action: actions', 'hidden: ']);
  expect(places([name, { ...at, card: 'title' }, { ...buttons, card: 'hidden' }])).toEqual([
    'title: at',
    'head: ',
    'fact: name',
    'action: ',
    'hidden: actions',
  ]);
});

describe('columns that do not fit', () => {
  const columns = [
    { id: 'name', header: 'Name', pinned: true, width: 200, value: null },
    { id: 'pattern', header: 'Pattern', card: 'hidden', width: 150, value: null },
    { id: 'keys', header: 'Keys', minor: true, width: 100, value: null },
    { id: 'at', header: 'When', value: null },
    { id: 'actions', header: '', pinned: true, width: 90, least: 90, value: null },
  ] satisfies DataColumn<Sender>[];
  const within = (width: number, chosen: string[] = []) =>
    columnsWithin(width, columns, ({ id, pinned }: DataColumn<Sender>) => pinned || chosen.includes(id))
      .map(({ id }) => id)
      .join(' ');

  const widthsIn = (width: number) => columnsWithin(width, columns, () => true).map((column) => column.width);

  it('become narrower, except for buttons and words of a header', () => {
    expect(widthsIn(700)).toEqual([200, 150, 100, 160, 90]);
    expect(widthsIn(639)).toEqual([180, 135, 90, 144, 90]);
    expect(widthsIn(578)).toEqual([160, 120, 80, 128, 90]);
    expect(widthsIn(100)).toEqual([160, 120, 80, 128, 90]);
    const [kept] = columnsWithin(50, [{ id: 'x', header: 'Bezeichnung', width: 100, least: 95 }], () => true);
    expect(kept?.width).toBe(95);
  });

  it('give way one by one: minor ones and what a phone hides, then the last; never the name and the actions', () => {
    expect(within(578)).toBe('name pattern keys at actions');
    expect(within(577)).toBe('name pattern at actions');
    expect(within(497)).toBe('name at actions');
    expect(within(377)).toBe('name actions');
    expect(within(50)).toBe('name actions');
  });

  it('do not give way when they were chosen', () => {
    expect(within(300, ['at'])).toBe('name at actions');
  });
});

it('gives a column the width that the longest word of its header needs', async () => {
  const narrow = { pinned: true, width: 30, value: ({ ip }: Sender) => ip };
  await renderTable({
    columns: [
      { id: 'one', header: 'Ip', ...narrow },
      { id: 'word', header: 'Address of requests', ...narrow },
      { id: 'chinese', header: '首次高流量时间', ...narrow },
    ],
  });
  const [short, word, chinese] = [...document.querySelectorAll('col')].map(({ style }) =>
    Number.parseFloat(style.width),
  );
  expect(short).toBeLessThan(50);
  expect(word).toBeGreaterThan(8 * 7 + 24);
  expect(chinese).toBeGreaterThan(7 * 13 + 24);
});

it('moves by j and k on a Russian layout', async () => {
  await renderTable();
  const press = (key: string, code: string) => fireEvent.keyDown(document.activeElement!, { key, code });
  const focused = () => (document.activeElement as HTMLElement).dataset.row;
  press('о', 'KeyJ');
  expect(focused()).toBe('a');
  press('о', 'KeyJ');
  expect(focused()).toBe('b');
  press('л', 'KeyK');
  expect(focused()).toBe('a');
});

it('selects with Shift all rows since the last one, and only those that may be', async () => {
  const { user } = await renderTable({
    selection: {
      rowLabel: ({ ip }) => `Select ${ip}`,
      canSelect: ({ ip }) => ip !== 'b',
      actions: (rows) => rows.map(({ ip }) => ip).join(' and '),
    },
  });
  await user.click(screen.getByRole('checkbox', { name: 'Select c' }));
  await user.keyboard('{Shift>}');
  await user.click(screen.getByRole('checkbox', { name: 'Select a' }));
  await user.keyboard('{/Shift}');
  expect(screen.getByText('a and c')).toBeTruthy();
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: /all/ });
  expect(all.checked).toBe(true);
  await user.click(all);
  expect(screen.queryByText('a and c')).toBeNull();
});
