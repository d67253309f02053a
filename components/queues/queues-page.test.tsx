import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Queues from '@/app/(console)/[connection]/queues/page';
import { type Counter, counterContracts } from '@/lib/counters/schema';
import type { ShownBytes } from '@/lib/key-values/schema';
import { type Leaderboard, leaderboardContracts, type RankedMember } from '@/lib/leaderboards/schema';
import { type Queue, type QueueEntry, queueContracts } from '@/lib/queues/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();

const shown = (text: string | null): ShownBytes => ({
  text,
  base64: null,
  bytes: 9,
  truncated: false,
  masked: text === null,
  decoded: null,
});
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

const entry = (text: string, change: Partial<QueueEntry> = {}): QueueEntry => ({
  value: shown(text),
  fields: null,
  entryId: null,
  score: null,
  at: null,
  ageSeconds: null,
  ...change,
});

const named = (key: string) => ({
  keyId: Buffer.from(key).toString('base64url'),
  key,
  name: key.split(':').slice(1).join(':'),
  family: 'common.x',
  title: 'A family',
  type: 'list',
  ttlSeconds: null,
});

const queue = (key: string, change: Partial<Queue> = {}): Queue => {
  const first = entry('{"id":1}', { at: ago(125), ageSeconds: 125 });
  return {
    ...named(key),
    length: 1234,
    oldest: { at: first.at, ageSeconds: 125, preview: first },
    peek: [first],
    oldestAt: 'head',
    takenFrom: 'head',
    inPerSecond: 4.5,
    outPerSecond: 2,
    ratesAreAtLeast: false,
    due: null,
    nextDueAt: null,
    problem: null,
    ...change,
  };
};

const page = <T,>(items: T[]) => ({
  items,
  nextCursor: null,
  total: items.length,
  complete: true,
  foundAt: new Date().toISOString() as string | null,
});

const open = (search = '', connection = {}) =>
  renderAt(`/demo/queues${search}`, <Queues />, { role: 'product', connection });

it('lists queues with length, oldest and rates, lower bounds marked', async () => {
  const delayed = queue('delayed:tasks', {
    type: 'zset',
    due: 7,
    nextDueAt: ago(-3600),
    ratesAreAtLeast: true,
    inPerSecond: 0.3,
    outPerSecond: 0,
  });
  const empty = queue('queue:idle', {
    type: 'none',
    length: 0,
    oldest: null,
    peek: [],
    inPerSecond: null,
    outPerSecond: null,
  });
  const slow = queue('queue:slow', { inPerSecond: 0.00083, outPerSecond: 0 });
  api.answer(queueContracts.list, page([delayed, queue('queue:email'), empty, slow]));
  open();
  const email = await rowWith('queue:email');
  const headings = ['Type', 'Length', 'Oldest', 'In', 'Out', 'Due', 'Oldest element'];
  const cells = (row: HTMLElement) => headings.map((heading) => cellOf(row, heading));
  expect(cells(email)).toEqual(['List', '1,234', '2 min ago', '4.5/s', '2/s', '—', '{"id":1}']);
  expect(cells(await rowWith('delayed:tasks'))).toEqual([
    'Sorted set',
    '1,234',
    '2 min ago',
    '≥ 0.3/s',
    '≥ 0/s',
    expect.stringMatching(/^7next in/),
    '{"id":1}',
  ]);
  expect(cells(await rowWith('queue:idle'))).toEqual(['Empty', '0', '—', '—', '—', '—', '—']);
  expect(cells(await rowWith('queue:slow')).slice(3, 5)).toEqual(['3/h', '0/s']);
  screen.getByText('4 queues');
});

it('names what is wrong with a key, and shows hostile elements as text', async () => {
  const hostile = entry('<img src=x>');
  const masked = entry('', { value: shown(null) });
  const fields = [{ field: shown('kind'), value: shown('signup') }];
  const stream = entry('', { value: null, fields, entryId: '1-0' });
  api.answer(
    queueContracts.list,
    page([
      queue('queue:a', { problem: 'wrongType', type: 'string', length: null, oldest: null, peek: [] }),
      queue('queue:b', { oldest: { at: null, ageSeconds: null, preview: hostile } }),
      queue('queue:c', { oldest: { at: null, ageSeconds: null, preview: masked } }),
      queue('queue:d', { type: 'stream', oldest: { at: null, ageSeconds: null, preview: stream } }),
    ]),
  );
  open();
  expect(cellOf(await rowWith('queue:a'), 'Queue')).toContain('wrong type');
  expect(cellOf(await rowWith('queue:b'), 'Oldest element')).toBe('<img src=x>');
  expect(cellOf(await rowWith('queue:c'), 'Oldest element')).toContain('•••');
  expect(cellOf(await rowWith('queue:d'), 'Oldest element')).toBe('kind: signup');
  expect(document.querySelector('img')).toBeNull();
});

it('says what would be here, and waits for the first scan before it does', { tags: 'long' }, async () => {
  let answers = 0;
  api.answer(queueContracts.list, () =>
    ++answers > 1 ? page([]) : { ...page([]), complete: false, foundAt: null },
  );
  open();
  await screen.findByText(/^0 keys so far; the scan is running/);
  expect(screen.queryByText('No queues')).toBeNull();
  await screen.findByText('No queues', undefined, { timeout: 8000 });
  screen.getByText(/such as queue:email:pending/);
});

it('opens a queue: figures, history, elements of both ends, and how rates are measured', {
  tags: ['long'],
}, async () => {
  const email = queue('queue:email');
  api.answer(queueContracts.list, page([email]));
  api.answer(queueContracts.series, ({ from, stepSeconds }) => ({
    stepSeconds,
    points: [0, 1, 2].map((i) => ({
      at: new Date(Date.parse(from) + (i + 350) * 10_000).toISOString(),
      length: 10 * i,
      inPerSecond: i,
      outPerSecond: 0,
      ratesAreAtLeast: i === 2,
    })),
  }));
  api.answer(queueContracts.peek, ({ from }) => ({
    type: 'list',
    length: 1234,
    nextCursor: null,
    problem: null,
    items: [entry(from === 'head' ? 'first' : 'last', { at: ago(60), ageSeconds: 60 })],
  }));
  const { user } = open();
  await user.click(await rowWith('queue:email'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Queue email' }));
  expect(window.location.search).toBe(`?queue=${email.keyId}`);
  const link = drawer.getByRole('link', { name: 'queue:email' });
  expect(link.getAttribute('href')).toBe(`/demo/keys/${email.keyId}`);
  drawer.getByText('the head');
  await drawer.findByRole('img', { name: 'Length of the queue over time' });
  drawer.getByRole('img', { name: 'Added to and taken from the queue over time' });
  drawer.getByText('Some rates are lower bounds.');
  drawer.getByText(/^Rates are means of the last minute/);
  const head = await drawer.findByRole('list', { name: 'Elements from the head' });
  expect(textOf(head)).toContain('first');
  await user.click(drawer.getByRole('radio', { name: 'From the tail' }));
  const tail = await drawer.findByRole('list', { name: 'Elements from the tail' });
  await waitFor(() => expect(textOf(tail)).toContain('last'));
  await user.click(drawer.getByRole('radio', { name: '24 h' }));
  await waitFor(() => expect(api.asked(queueContracts.series).at(-1)).toMatchObject({ stepSeconds: 60 }));
  expect(window.location.search).toContain('range=24h');
});

it('opens a queue that is not in the list by its address', async () => {
  const empty = queue('queue:x', { type: 'none', length: 0, oldest: null, peek: [] });
  api.answer(queueContracts.list, ({ keyId }) => page(keyId === empty.keyId ? [empty] : []));
  api.answer(queueContracts.series, { stepSeconds: 10, points: [] });
  api.answer(queueContracts.peek, { type: 'none', length: 0, items: [], nextCursor: null, problem: null });
  open(`?queue=${empty.keyId}`);
  const drawer = within(await screen.findByRole('dialog', { name: 'Queue x' }));
  await drawer.findByText('Empty');
  await drawer.findByText('No samples in this range');
  await drawer.findByText('Nothing waits here.');
});

it('says why elements cannot be read, and that a key is no queue', async () => {
  api.answer(queueContracts.list, ({ keyId }) => page(keyId ? [queue('queue:x')] : []));
  api.answer(queueContracts.series, { stepSeconds: 10, points: [] });
  api.answer(queueContracts.peek, {
    type: 'unreadable',
    length: null,
    items: [],
    nextCursor: null,
    problem: 'unreadable',
  });
  open('?queue=cXVldWU6eA');
  const drawer = within(await screen.findByRole('dialog', { name: 'Queue x' }));
  await drawer.findByText(/user may not read this key/);
  expect(drawer.queryByText('Nothing waits here.')).toBeNull();
});

it('says when the keys were found unless that was just now', async () => {
  const foundAt = new Date(Date.now() - 90_000).toISOString();
  api.answer(queueContracts.list, () => ({ ...page([queue('queue:a')]), foundAt }));
  open();
  await screen.findByText(/^1 queue · keys found/);
  screen.getByText('1 min ago');
});

it('searches queues by their names, among all', { tags: ['long'] }, async () => {
  const queues = [queue('queue:email'), queue('queue:sms')];
  api.answer(queueContracts.list, ({ q = '' }) => ({
    ...page(queues.filter(({ key }) => key.includes(q))),
    total: 7000,
    complete: false,
  }));
  const { fill } = open();
  await rowWith('queue:sms');
  screen.getByText('There are more keys than the 7,000 that are listed');
  await fill(screen.getByRole('searchbox', { name: 'Part of the name of a queue' }), 'mail');
  await waitFor(() => expect(rowsOf('Queues')).toHaveLength(1));
  expect(window.location.search).toContain('q=mail');
  await fill(screen.getByRole('searchbox'), 'nothing');
  await screen.findByText('Nothing matches these filters.');
});

const ranked = (rank: number, member: string, score: number): RankedMember => ({
  rank,
  member,
  memberId: member,
  shown: shown(member),
  score,
  scoreText: `${score}`,
});
const board = (key: string, change: Partial<Leaderboard> = {}): Leaderboard => ({
  ...named(key),
  type: 'zset',
  members: 3,
  top: ranked(1, 'user:1', 900),
  problem: null,
  ttlSeconds: 3600,
  ...change,
});

it('lists leaderboards, opens one, and finds the rank of a member', { tags: ['long'] }, async () => {
  const daily = board('leaderboard:daily');
  api.answer(leaderboardContracts.list, page([daily]));
  api.answer(leaderboardContracts.get, ({ order, member }) => ({
    keyId: daily.keyId,
    key: daily.key,
    nextCursor: null,
    total: 3,
    items: order === 'desc' ? [ranked(1, 'user:1', 900)] : [ranked(1, 'user:3', 1)],
    member: member === 'user:2' ? { rank: 2, sharedRank: 2, ties: 1, score: 50, scoreText: '50' } : null,
  }));
  const { user, fill } = open('?tab=leaderboards');
  const row = await rowWith('leaderboard:daily');
  expect([cellOf(row, 'Members'), cellOf(row, 'First'), cellOf(row, 'Expires in')]).toEqual([
    '3',
    'user:1Score 900',
    '1 h',
  ]);
  await user.click(row);
  const drawer = within(await screen.findByRole('dialog', { name: 'Leaderboard' }));
  await drawer.findByText('3 members');
  const [first] = await waitFor(() => {
    const rows = rowsOf('Members by rank');
    expect(rows).toHaveLength(1);
    return rows;
  });
  expect(['Rank', 'Member', 'Score'].map((header) => cellOf(first!, header))).toEqual(['1', 'user:1', '900']);
  const search = drawer.getByRole('searchbox');
  await fill(search, 'user:2');
  const status = await drawer.findByText(/^Rank 2 of 3 with score 50/);
  expect(textOf(status)).toContain('1 other member has this score; together they are at rank 2.');
  await fill(search, 'nobody');
  await drawer.findByText('This member is not in the leaderboard.');
  await user.click(drawer.getByRole('radio', { name: 'Lowest first' }));
  await rowWith('user:3');
  expect(window.location.search).toContain('order=asc');
});

const counter = (key: string, change: Partial<Counter>): Counter => ({
  ...named(key),
  type: 'string',
  kind: 'count',
  bytes: 2,
  number: null,
  digits: null,
  text: null,
  problem: null,
  bitsSet: null,
  bitsArePartial: false,
  bits: null,
  firstSetBit: null,
  cardinality: null,
  ...change,
});

it('shows counters, bitmaps and HyperLogLogs as what they are', { tags: ['long'] }, async () => {
  api.answer(counterContracts.list, ({ kind }) =>
    page(
      [
        counter('counter:a', { number: 1234567, digits: '1234567' }),
        counter('counter:big', { number: 2 ** 63, digits: '9223372036854775807' }),
        counter('counter:text', { text: shown('<b>abc'), problem: 'notANumber' }),
        counter('bitmap:a', { kind: 'bitmap', bitsSet: 12, bits: 1024, firstSetBit: 3 }),
        counter('bitmap:b', { kind: 'bitmap', bitsSet: 0, bits: 2 ** 30, bitsArePartial: true }),
        counter('counter:secret', { text: shown(null) }),
        counter('bitmap:secret', { kind: 'bitmap', text: shown(null) }),
        counter('hll:a', { kind: 'hyperloglog', cardinality: 5012 }),
        counter('hll:b', { kind: 'hyperloglog', problem: 'notAHyperLogLog' }),
      ].filter((row) => !kind || row.kind === kind),
    ),
  );
  const { user } = open('?tab=counters');
  const valueIn = async (key: string) => cellOf(await rowWith(key), 'Value');
  expect(await valueIn('counter:a')).toBe('1,234,567');
  expect(await valueIn('counter:big')).toBe('9223372036854775807');
  expect(await valueIn('counter:text')).toBe('not a number <b>abc');
  expect(await valueIn('bitmap:a')).toBe('12 of 1,024 bits setfirst at 3');
  expect(await valueIn('bitmap:b')).toContain('none is set · counted in the first MiB only');
  expect(await valueIn('counter:secret')).toMatch(/^•••/);
  expect(await valueIn('bitmap:secret')).toMatch(/^•••/);
  expect(cellOf(await rowWith('counter:a'), 'Expires in')).toBe('never expires');
  expect(await valueIn('hll:a')).toBe('≈ 5,012');
  expect(await valueIn('hll:b')).toContain('not a HyperLogLog');
  await user.click(screen.getByRole('combobox', { name: 'Kind' }));
  await user.click(await screen.findByRole('option', { name: 'Bitmap' }));
  await waitFor(() => expect(rowsOf('Counters')).toHaveLength(3));
  expect(window.location.search).toContain('kind=bitmap');
});

it('has the tabs that the catalog of the connection has roles for', async () => {
  api.answer(leaderboardContracts.list, page([]));
  open('', { roles: ['leaderboard', 'bitmap'] });
  await screen.findByText('No leaderboards');
  expect(screen.getAllByRole('tab').map(textOf)).toEqual(['Leaderboards', 'Counters']);
});

it('shows why queues cannot be read', { tags: 'long' }, async () => {
  api.refuse(queueContracts.list, 'unreachable', 'Redis is unreachable.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('Redis is unreachable.');
});

it('on a phone queues are cards', async () => {
  narrowPage();
  api.answer(queueContracts.list, page([queue('queue:email')]));
  open();
  await screen.findByText('queue:email');
  expect(screen.queryByRole('table')).toBeNull();
});
