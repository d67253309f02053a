import { screen, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Nodes from '@/app/(console)/[connection]/nodes/page';
import { Problem } from '@/lib/errors';
import { type NodeRow, nodeContracts } from '@/lib/nodes/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { narrowPage, renderAt } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const NOW = new Date().toISOString();

const open = () => renderAt('/demo/nodes', <Nodes />);

const node = (change: Partial<NodeRow> = {}): NodeRow => ({
  id: 'abc',
  address: '10.0.0.1:6379',
  role: 'primary',
  product: 'valkey',
  version: '8.1.0',
  slots: null,
  keys: 1200,
  usedMemoryBytes: 2048,
  opsPerSecond: 8214,
  hitRate: 0.75,
  lagSeconds: null,
  state: 'ready',
  reason: null,
  ...change,
});
const UNKNOWN = { version: null, product: null, keys: null, usedMemoryBytes: null, opsPerSecond: null };
const replica = node({
  id: '10.0.0.2:6379',
  address: '10.0.0.2:6379',
  role: 'replica',
  lagSeconds: 3,
  state: 'syncing',
  ...UNKNOWN,
  hitRate: null,
});

const answer = (...items: NodeRow[]) =>
  api.answer(nodeContracts.list, { items, nextCursor: null, readAt: NOW });

it('shows a primary with its figures, and a replica with its lag', async () => {
  answer(node(), replica);
  open();
  const cells = (row: HTMLElement) =>
    ['Role', 'Version', 'Keys', 'Memory', 'Operations', 'Hit rate', 'Lag', 'State'].map((name) =>
      cellOf(row, name),
    );
  expect(cells(await rowWith('10.0.0.1:6379'))).toEqual([
    'primary',
    'Valkey 8.1.0',
    '1,200',
    '2 KiB',
    '8,214/s',
    '75.0%',
    '—',
    'ready',
  ]);
  expect(cells(await rowWith('10.0.0.2:6379'))).toEqual([
    'replica',
    '—',
    '—',
    '—',
    '—',
    '—',
    '3 s',
    'syncing',
  ]);
  expect(screen.queryByRole('columnheader', { name: 'Slots' })).toBeNull();
});

it('shows slots in a cluster', async () => {
  answer(node({ slots: 5461 }));
  open();
  expect(cellOf(await rowWith('10.0.0.1:6379'), 'Slots')).toBe('5,461');
});

it('says why the figures of a node are unknown', async () => {
  const reason = 'Redis "demo": its user may not use INFO.';
  answer(
    node({ ...UNKNOWN, hitRate: null, reason }),
    node({ id: 'b', address: 'b:1', state: 'unreachable' }),
  );
  open();
  expect(cellOf(await rowWith('10.0.0.1:6379'), 'State')).toBe(`ready${reason}`);
  expect(cellOf(await rowWith('b:1'), 'State')).toBe('unreachable');
});

it('has a card for each node on a phone', async () => {
  narrowPage();
  answer(node(), replica);
  open();
  const cards = await screen.findAllByRole('listitem');
  expect(cards).toHaveLength(2);
  within(cards[1]!).getByText('10.0.0.2:6379');
  within(cards[1]!).getByText('3 s');
});

it('says that there are none, and why they cannot be listed', { tags: 'long' }, async () => {
  answer();
  const { unmount } = open();
  await screen.findByText('No nodes');
  unmount();
  api.answer(nodeContracts.list, () => {
    throw new Problem('unreachable', 'Redis "demo": nothing is listening at its address.');
  });
  open();
  await screen.findByText('Redis "demo": nothing is listening at its address.');
});
