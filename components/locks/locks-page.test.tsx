import { act, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import Locks from '@/app/(console)/[connection]/locks/page';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { type Lock, lockContracts } from '@/lib/locks/schema';
import { type ProcessState, processContracts } from '@/lib/processes/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { lockPage, lockRow } from '@/scripts/testing/lock-row';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
afterEach(() => void vi.useRealTimers());
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const NOW = new Date().toISOString();

const state = (key: string, change: Partial<ProcessState> = {}): ProcessState => ({
  keyId: Buffer.from(key).toString('base64url'),
  key,
  process: 'migration',
  id: '7',
  type: 'hash',
  status: 'running',
  stage: 'running',
  progress: 0.25,
  fieldsTotal: 1,
  ageSeconds: 90,
  fields: [{ name: 'status', value: 'running', masked: false, truncated: false, time: null }],
  updatedSecondsAgo: 5,
  ttlSeconds: 600,
  maxTtlSeconds: 3600,
  stuck: false,
  stuckReasons: [],
  problem: null,
  family: 'press.state',
  app: 'press',
  ...change,
});

type Listed = Result<typeof processContracts.list>;
const states = (items: ProcessState[], change: Partial<Listed> = {}): Listed => ({
  items,
  nextCursor: null,
  total: items.length,
  stuck: items.filter((lock) => lock.stuck).length,
  stages: { running: 3, waiting: 0, finished: 1, failed: 0, unknown: 0 },
  processes: ['import', 'migration'],
  foundAt: NOW,
  readAt: NOW,
  isComplete: true,
  ...change,
});

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'admin' }) =>
  renderAt(`/demo/locks${search}`, <Locks />, options);
const tiles = async (label: string) => textOf(await screen.findByRole('region', { name: label }));

it('shows locks with owner, age, what is left and problems, and leads to each key', async () => {
  api.answer(
    lockContracts.list,
    lockPage([
      lockRow('lock:publish:13', {
        problems: ['noTtl', 'noOwner'],
        ttlSeconds: null,
        ageSeconds: 75,
        ageIsAtLeast: true,
      }),
      lockRow('lock:publish:12'),
      lockRow('lock:x:1', {
        owner: null,
        ownerDigest: null,
        ageSeconds: null,
        entityId: null,
        problems: ['empty'],
      }),
    ]),
  );
  open();
  const stale = await rowWith('lock:publish:13');
  expect(within(stale).getByRole('link').getAttribute('href')).toBe(
    `/demo/keys/${Buffer.from('lock:publish:13').toString('base64url')}`,
  );
  expect(['Problems', 'Age', 'Expires in'].map((heading) => cellOf(stale, heading))).toEqual([
    'No TTLNo owner',
    '≥ 1 min 15 s',
    'never expires',
  ]);
  const held = await rowWith('lock:publish:12');
  expect(
    ['Operation', 'Entity', 'Owner', 'Age', 'Expires in', 'Problems'].map((header) => cellOf(held, header)),
  ).toEqual(['publish', '12', 'b7f1••• k3Fs9aQz', '10 s', '20 s', 'none']);
  within(held).getByTitle(/^By the TTL that the family declares/);
  within(stale).getByTitle(/^At least/);
  const empty = await rowWith('lock:x:1');
  expect(['Owner', 'Age', 'Entity'].map((heading) => cellOf(empty, heading))).toEqual(['—', '—', '—']);
  const text = await tiles('Locks by problem');
  for (const tile of ['All3', 'Problems2', 'No TTL1', 'No owner2', 'Too long0']) expect(text).toContain(tile);
});

it('filters by what the address says, and writes filters there', { tags: ['long'] }, async () => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12')]));
  const { user, fill } = open('?problem=noTtl&operation=publish&tab=nonsense');
  await rowWith('lock:publish:12');
  expect(api.asked(lockContracts.list)[0]).toMatchObject({ problem: 'noTtl', operation: 'publish' });
  await user.click(screen.getByRole('button', { name: /^No TTL/ }));
  await waitFor(() => expect(window.location.search).not.toContain('problem'));
  await fill(screen.getByRole('searchbox', { name: 'Search by key' }), 'pub');
  await waitFor(() => expect(api.asked(lockContracts.list).at(-1)).toMatchObject({ q: 'pub' }));
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(api.asked(lockContracts.list).at(-1)).toEqual({ limit: 100 }));
  expect(window.location.search).toBe('?tab=nonsense');
});

it.each([
  ['admin', true],
  ['support', false],
  ['product', false],
] as const)('offers %s to release a lock: %s', async (role, offered) => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12')]));
  open('', { role });
  const row = await rowWith('lock:publish:12');
  expect(within(row).queryByRole('button', { name: 'Release lock:publish:12' }) !== null).toBe(offered);
});

it('offers no release of a lock that cannot be compared', async () => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:big:1', { etag: null, problems: ['tooLarge'] })]));
  open();
  expect(within(await rowWith('lock:big:1')).queryByRole('button')).toBeNull();
});

it('releases the lock that was shown, after the confirmation of production', { tags: ['long'] }, async () => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12')]));
  api.answer(lockContracts.release, () => {
    api.answer(lockContracts.list, lockPage([]));
    return { released: true as const, takenAgain: false, auditId: AUDIT_ID };
  });
  const { user, fill } = open('', { role: 'admin', connection: { environment: 'production' } });
  await rowWith('lock:publish:12');
  await user.click(screen.getByRole('button', { name: 'Release lock:publish:12' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Release lock:publish:12' }));
  for (const text of [/may still be running/, /only if it still has this owner/, /cannot be undone/])
    drawer.getByText(text);
  const verb = drawer.getByRole('button', { name: 'Release lock' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Reason'), 'The worker died');
  await fill(drawer.getByLabelText(/Production: type/), 'demo');
  await user.click(verb);
  await screen.findByText('lock:publish:12 is released');
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  expect(api.asked(lockContracts.release)).toEqual([
    {
      keyId: Buffer.from('lock:publish:12').toString('base64url'),
      etag: 'etag of lock:publish:12',
      reason: 'The worker died',
      confirm: 'demo',
    },
  ]);
  await screen.findByText('No locks');
});

it('says that another owner took it, before and after', { tags: ['long'] }, async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12')]));
  api.refuse(lockContracts.release, 'changed', 'This lock changed hands since you read it.');
  const { user } = open();
  await rowWith('lock:publish:12');
  await user.click(screen.getByRole('button', { name: 'Release lock:publish:12' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.queryByText(/another owner has it/)).toBeNull();
  api.answer(
    lockContracts.list,
    lockPage([lockRow('lock:publish:12', { etag: 'another', owner: 'cafe•••' })]),
  );
  await act(() => vi.advanceTimersByTimeAsync(2500));
  await drawer.findByText(/another owner has it/);
  // The drawer stays about the lock that was chosen.
  drawer.getByText('b7f1•••');
  await user.click(drawer.getByRole('button', { name: 'Release lock' }));
  await drawer.findByText('This lock changed hands since you read it.');
  expect(api.asked(lockContracts.release)).toMatchObject([{ etag: 'etag of lock:publish:12' }]);
});

it('says when a released lock was taken again', { tags: ['long'] }, async () => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12')]));
  api.answer(lockContracts.release, { released: true, takenAgain: true, auditId: AUDIT_ID });
  const { user } = open();
  await rowWith('lock:publish:12');
  await user.click(screen.getByRole('button', { name: 'Release lock:publish:12' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Release lock' }));
  await screen.findByText('lock:publish:12 was released, and has been taken again since');
});

it('holds the rows while they are in use', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  api.answer(lockContracts.list, lockPage([lockRow('lock:a:1'), lockRow('lock:b:1')]));
  open();
  const row = await rowWith('lock:b:1');
  act(() => within(row).getByRole('link').focus());
  api.answer(lockContracts.list, lockPage([lockRow('lock:c:1'), lockRow('lock:a:1')]));
  await act(() => vi.advanceTimersByTimeAsync(2500));
  await screen.findByRole('button', { name: /Apply$/ });
  expect(rowsOf('Locks').map((row) => cellOf(row, 'Lock'))).toEqual([
    'lock:a:1',
    expect.stringContaining('lock:b:1'),
  ]);
});

it('knows nothing before the first scan ends, and says when there are more', async () => {
  const unknown = { total: null, withProblems: null, readAt: null, foundAt: null, isComplete: false };
  api.answer(lockContracts.list, lockPage([], unknown));
  const { unmount } = open();
  await screen.findByText('Reading the keys: more may follow');
  expect(await tiles('Locks by problem')).toContain('All—');
  expect(await tiles('Locks by problem')).toContain('No TTL—');
  unmount();
  api.answer(lockContracts.list, lockPage([lockRow('lock:a:1')], { isComplete: false }));
  open();
  await rowWith('lock:a:1');
  expect(await tiles('Locks by problem')).toContain('only the first 5000 are listed');
  expect(await tiles('Locks by problem')).not.toContain('keys found');
});

it('says when the keys were found, where that was long before they were read', {
  tags: ['long'],
}, async () => {
  const foundAt = new Date(Date.parse(NOW) - 3 * 60_000).toISOString();
  api.answer(lockContracts.list, lockPage([lockRow('lock:a:1')], { foundAt }));
  api.answer(processContracts.list, states([state('state:a:1')], { foundAt }));
  const { user } = open();
  await rowWith('lock:a:1');
  expect(await tiles('Locks by problem')).toContain('keys found 3 min ago');
  await user.click(screen.getByRole('tab', { name: 'Processes' }));
  await rowWith('state:a:1');
  expect(await tiles('Processes by state')).toContain('keys found 3 min ago');
});

it.each([
  [{}, /only if it still has this owner/],
  [{ problems: ['noOwner'] }, /only if it still has this value and this expiry/],
  [
    { problems: ['noTtl', 'empty'], ttlSeconds: null },
    /if another process took it since, its lock is deleted too/,
  ],
] as const)('says what is compared before the release of a lock with %j', async (change, sentence) => {
  const { problems = [], ...rest } = { ...change } as Partial<Lock>;
  api.answer(lockContracts.list, lockPage([lockRow('lock:a:1', { problems, ...rest })]));
  const { user } = open();
  await rowWith('lock:a:1');
  await user.click(screen.getByRole('button', { name: 'Release lock:a:1' }));
  within(await screen.findByRole('dialog')).getByText(sentence);
});

it('shows processes with stage, progress and age, stuck ones as the server orders them', async () => {
  api.answer(
    processContracts.list,
    states([
      state('state:sync:1', {
        stuck: true,
        stuckReasons: ['noTtl', 'notUpdated'],
        ttlSeconds: null,
        updatedSecondsAgo: 400,
        progress: null,
        ageSeconds: null,
      }),
      state('state:migration:7'),
      state('state:list:1', {
        problem: 'wrongType',
        stage: 'unknown',
        status: null,
        fields: [],
        type: 'list',
      }),
    ]),
  );
  const { user } = open('?tab=processes', { role: 'support' });
  await rowWith('state:sync:1');
  expect(rowsOf('Processes').map((row) => cellOf(row, 'Key'))).toEqual([
    'state:sync:1',
    'state:migration:7',
    'state:list:1',
  ]);
  const [stuck, running, broken] = rowsOf('Processes') as [HTMLElement, HTMLElement, HTMLElement];
  const cells = ['State', 'Progress', 'Age', 'Updated', 'Expires in'];
  expect(cells.map((heading) => cellOf(stuck, heading))).toEqual([
    'No TTLNot updatedrunning',
    '—',
    '—',
    '6 min 40 s',
    'never expires',
  ]);
  expect(cells.map((heading) => cellOf(running, heading))).toEqual([
    'Running',
    '25.0%',
    '1 min 30 s',
    '5 s',
    '10 min',
  ]);
  expect(cellOf(broken, 'State')).toBe('Wrong type');
  const text = await tiles('Processes by state');
  for (const tile of ['All3', 'Stuck1', 'Running3', 'Finished1']) expect(text).toContain(tile);
  await user.click(screen.getByRole('button', { name: /^Stuck/ }));
  await waitFor(() => expect(api.asked(processContracts.list).at(-1)).toMatchObject({ stage: 'stuck' }));
});

it('shows everything a process says of itself, secrets hidden, hostile text as text', async () => {
  api.answer(
    processContracts.list,
    states([
      state('state:<b>:1', {
        process: '<b>',
        stuck: true,
        stuckReasons: ['tooOld'],
        fieldsTotal: 53,
        fields: [
          { name: 'token', value: null, masked: true, truncated: false, time: null },
          { name: 'note', value: '<img src=x>\u202e', masked: false, truncated: true, time: null },
          {
            name: 'started_at',
            value: '1700000000',
            masked: false,
            truncated: false,
            time: '2023-11-14T22:13:20.000Z',
          },
        ],
      }),
    ]),
  );
  const { user } = open('?tab=processes', { role: 'product' });
  await rowWith('state:<b>:1');
  await user.click(screen.getByRole('button', { name: 'Details of state:<b>:1' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'state:<b>:1' }));
  drawer.getByText('Older than the longest life that its family declares.');
  const fields = textOf(drawer.getByRole('region', { name: 'Fields' }));
  for (const text of [
    'tokenhidden: secret',
    '<img src=x>\\u202e',
    '(cut)',
    '50 more fields are not shown',
    'ago',
  ])
    expect(fields).toContain(text);
  expect(document.querySelector('img')).toBeNull();
});

it('has the tabs that the connection has data for, each in the address', { tags: ['long'] }, async () => {
  api.answer(lockContracts.list, lockPage([]));
  api.answer(processContracts.list, states([]));
  const { user, unmount } = open();
  await screen.findByText('No locks');
  await user.click(screen.getByRole('tab', { name: 'Processes' }));
  await screen.findByText('No processes');
  expect(window.location.search).toBe('?tab=processes');
  unmount();
  open('', { role: 'support', connection: { roles: ['state'] } });
  await screen.findByText('No processes');
  expect(screen.queryByRole('tab', { name: 'Locks' })).toBeNull();
});

it('shows cards on a phone', async () => {
  narrowPage();
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12', { problems: ['noTtl'] })]));
  open();
  await screen.findByText('lock:publish:12');
  expect(screen.queryByRole('table')).toBeNull();
  screen.getByRole('button', { name: 'Release lock:publish:12' });
});

it('shows why the lists cannot be read', { tags: 'long' }, async () => {
  api.answer(lockContracts.list, () => {
    throw new Problem('unreachable', 'Redis does not answer.');
  });
  api.refuse(processContracts.list, 'forbidden', 'Not for you.');
  const { user } = open();
  expect(textOf(await screen.findByRole('alert'))).toContain('Redis does not answer.');
  await user.click(screen.getByRole('tab', { name: 'Processes' }));
  expect(textOf(await screen.findByRole('alert'))).toContain('Not for you.');
});
