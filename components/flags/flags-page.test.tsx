import { act, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, describe, expect, it, vi } from 'vitest';
import Flags from '@/app/(console)/[connection]/flags/page';
import { undoContract } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { type Flag, type FlagRequest, flagContracts } from '@/lib/flags/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { flagRow } from '@/scripts/testing/flag-row';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
afterEach(() => {
  vi.useRealTimers();
});

const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const LABEL = 'Feature flags';
const NAME = 'FEATURE_SEARCH';
const soon = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const flag = (change: Partial<Flag> = {}): Flag => flagRow(change.name ?? NAME, change);

const request = (change: Partial<FlagRequest> = {}): FlagRequest => ({
  id: 'request-1',
  action: 'set',
  from: 'on',
  to: 'off',
  enabled: false,
  at: null,
  by: 'product@example.org',
  requestedAt: soon(-1),
  reason: 'Ticket 21: it is spammed',
  state: 'pending',
  why: null,
  mayDecide: true,
  ...change,
});

type List = Result<typeof flagContracts.list>;
const listOf = (items: Flag[], change: Partial<List> = {}): List => ({
  items,
  nextCursor: null,
  indexedAt: soon(-2),
  complete: true,
  approval: 'none',
  newFlags: [],
  naming: { prefix: 'FEATURE_', kind: 'variable' },
  ...change,
});
const serve = (items: Flag[], change: Partial<List> = {}): void =>
  api.answer(flagContracts.list, listOf(items, change));
const audited = { auditId: AUDIT_ID, undoUntil: soon(60) };
const turned = (enabled: boolean, raw: string) => ({ name: NAME, enabled, raw, etag: 'etag-2', ...audited });

const open = async (options: Parameters<typeof renderAt>[2] = {}, address = '/demo/flags') => {
  const view = renderAt(address, <Flags />, options);
  await screen.findByRole('row', { name: new RegExp(NAME) });
  const ask = async () => {
    await view.user.click(screen.getByRole('switch', { name: `Switch ${NAME}` }));
    return screen.findByRole('dialog', { name: `Switch ${NAME}` });
  };
  const press = (within_: HTMLElement, name: string | RegExp) =>
    view.user.click(within(within_).getByRole('button', { name }));
  return { ...view, ask, press };
};

it('says how old the names are while newer ones are looked for, and takes them up', {
  tags: 'long',
}, async () => {
  serve([flag()], { complete: false });
  await open();
  await waitFor(() =>
    expect(textOf(document.querySelector('search'))).toMatch(
      /Names as of 2 min ago; searching for newer ones/,
    ),
  );
  serve([flag(), flag({ name: 'FEATURE_NEW' })]);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(2), { timeout: 3000 });
  expect(textOf(document.querySelector('search'))).not.toContain('Names as of');
});

it('shows the second of two editors both values, and turns it on anyway', { tags: ['long'] }, async () => {
  serve([flag()]);
  const { ask, press } = await open({ role: 'product' });
  const question = await ask();
  api.answer(flagContracts.set, ({ etag }) => {
    if (etag === 'etag-now') return turned(true, 'ON');
    throw new Problem('changed', 'This flag was changed since you read it.', {
      extensions: { etag: 'etag-now', enabled: false, raw: 'OFF' },
    });
  });
  serve([flag({ raw: 'OFF', etag: 'etag-now' })]);
  await press(question, 'Turn on');
  const alert = await within(question).findByRole('alert');
  expect(textOf(alert)).toContain('Someone changed this flag');
  expect([...alert.querySelectorAll('dd')].map(textOf)).toEqual(['off', 'OFF', 'on']);
  expect(screen.getByRole('switch', { name: `Switch ${NAME}` })).toHaveProperty('checked', false);
  serve([flag({ enabled: true, raw: 'ON' })]);
  await press(question, 'Turn on anyway');
  await screen.findByText(`${NAME} is on`);
  expect(api.asked(flagContracts.set).map(({ enabled, etag }) => [enabled, etag])).toEqual([
    [true, 'etag-1'],
    [true, 'etag-now'],
  ]);
});

it('offers no second change if the other editor made the same one', { tags: ['long'] }, async () => {
  serve([flag({ enabled: true, raw: 'yes' })]);
  const { ask, press } = await open({ role: 'product' });
  const question = await ask();
  api.refuse(flagContracts.set, 'changed', 'This flag was changed since you read it.', {
    extensions: { etag: 'etag-now', enabled: false, raw: 'no' },
  });
  serve([flag({ raw: 'no', etag: 'etag-now' })]);
  await press(question, 'Turn off');
  const alert = await within(question).findByRole('alert');
  expect([...alert.querySelectorAll('dd')].map(textOf)).toEqual(['yes', 'no', 'off']);
  expect(within(question).queryByRole('button', { name: 'Turn off anyway' })).toBeNull();
  await press(question, 'Keep current value');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.getByRole('switch', { name: `Switch ${NAME}` })).toHaveProperty('checked', false);
});

it('requests approval before an approved scheduled change is cancelled', { tags: ['long'] }, async () => {
  const plan = { id: 'plan-1', at: soon(60), enabled: true, by: 'product@example.org', reason: null };
  const waiting = { ...plan, state: 'waiting' as const, why: null };
  const gone = { ...plan, id: 'plan-2', at: soon(30), state: 'suspended' as const, why: 'It changed.' };
  const asked = request({
    action: 'unschedule',
    plan: plan.id,
    at: plan.at,
    enabled: true,
    from: null,
    to: null,
  });
  serve([flag({ schedule: [gone, waiting] })], { approval: 'two-person' });
  api.answer(flagContracts.request, { name: NAME, request: asked, auditId: AUDIT_ID });
  const { user } = await open({ role: 'product' }, `/demo/flags?schedule=${NAME}`);
  const drawer = await screen.findByRole('dialog');
  expect(within(drawer).getAllByRole('button', { name: /^Cancel scheduled change: / })).toHaveLength(1);
  const ask = within(drawer).getByRole('button', { name: /^Request cancellation: on/ });
  serve([flag({ schedule: [gone, waiting], request: asked })], { approval: 'two-person' });
  await user.click(ask);
  await waitFor(() =>
    expect(api.asked(flagContracts.request)).toMatchObject([
      { name: NAME, action: 'unschedule', plan: 'plan-1' },
    ]),
  );
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Request cancellation/ })).toBeNull());
  expect(screen.getAllByText('Cancel scheduled change: turn on')).not.toHaveLength(0);
});

it('takes the last change back from the history', { tags: ['long'] }, async () => {
  serve([flag({ enabled: true, raw: '1' })]);
  const change = {
    auditId: AUDIT_ID,
    at: soon(-1),
    actor: 'product@example.org',
    from: '0',
    to: '1',
    reason: 'Ticket 7: it misbehaves',
    action: 'flags.set',
    outcome: 'succeeded',
    undoUntil: soon(60),
    undoneBy: null as string | null,
  };
  api.answer(flagContracts.history, { items: [change], nextCursor: null });
  api.answer(undoContract, { undone: 1, conflicts: [], auditId: AUDIT_ID });
  const { user } = await open({ role: 'product' });
  await user.click(screen.getByRole('button', { name: `History of ${NAME}` }));
  const history = await screen.findByRole('dialog', { name: `History of ${NAME}` });
  expect(window.location.search).toBe(`?history=${NAME}`);
  const back = await within(history).findByRole('button', { name: 'Undo' });
  expect(textOf(history)).toContain('Ticket 7: it misbehaves');
  api.answer(flagContracts.history, { items: [{ ...change, undoneBy: 'audit-2' }], nextCursor: null });
  await user.click(back);
  await waitFor(() => expect(within(history).queryByRole('button', { name: 'Undo' })).toBeNull());
  within(history).getByText('undone');
  expect(api.asked(undoContract)).toEqual([{ auditId: AUDIT_ID }]);
});

it('says that a flag was deleted while its form was open', { tags: 'long' }, async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve([flag()]);
  const { ask, unmount } = await open({ role: 'product' });
  await ask();
  serve([]);
  const notice = `${NAME} was deleted by someone else. Nothing was changed.`;
  while (!screen.queryByText(notice)) await act(() => vi.advanceTimersByTimeAsync(2000));
  unmount();
  renderAt(`/demo/flags?schedule=${NAME}`, <Flags />, { role: 'product' });
  await screen.findByText('Flag deleted');
});

it('keeps the filters in the URL', { tags: 'long' }, async () => {
  serve([flag({ enabled: true, raw: 'on' }), flag({ name: 'FEATURE_ODD', enabled: null, raw: 'purple' })]);
  const { user, unmount } = await open({ role: 'viewer' });
  await user.click(screen.getByRole('combobox', { name: 'State' }));
  await user.click(await screen.findByRole('option', { name: 'Not a boolean' }));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  expect(window.location.search).toBe('?state=notBoolean');
  unmount();
  const second = renderAt('/demo/flags?q=feature_o&state=notBoolean', <Flags />, { role: 'viewer' });
  await rowWith('FEATURE_ODD');
  expect(rowsOf(LABEL)).toHaveLength(1);
  second.unmount();
  const third = renderAt('/demo/flags?q=FEATURE_&is=waiting', <Flags />, { role: 'viewer' });
  await screen.findByText('No matching flags');
  await third.user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(2));
  expect(window.location.search).toBe('');
});

it('says of a flag whether another value was seen before, and since when', { tags: ['long'] }, async () => {
  serve([
    flag({ unchangedSince: soon(0), changedOutside: false }),
    flag({ name: 'FEATURE_OLD', unchangedSince: soon(-5), changedOutside: false }),
    flag({ name: 'FEATURE_OTHER', unchangedSince: soon(-5), changedOutside: true }),
    flag({ name: 'FEATURE_UNKNOWN' }),
  ]);
  await open();
  const changeOf = (name: string) =>
    cellOf(screen.getByRole('row', { name: new RegExp(name) }), 'Last change');
  expect(changeOf(NAME)).toBe('No change seenFirst seen just now');
  expect(changeOf('FEATURE_OLD')).toBe('No change seenFirst seen 5 min ago, unchanged');
  expect(changeOf('FEATURE_OTHER')).toBe('Changed outside KeywardFirst seen 5 min ago, unchanged');
  expect(changeOf('FEATURE_UNKNOWN')).toBe('—');
});

it('lets a viewer view but not change flags', { tags: ['long'] }, async () => {
  serve([flag({ description: 'What it does' })]);
  await open({ role: 'viewer' });
  expect(screen.queryByRole('switch')).toBeNull();
  // Its state, and its value.
  expect(within(await rowWith(NAME)).getAllByText('off')).toHaveLength(2);
  for (const control of [/^Create/, /'s schedule$/, /^Delete/, /^Add details/, /^Describe/])
    expect(screen.queryByRole('button', { name: control })).toBeNull();
  screen.getByRole('button', { name: `History of ${NAME}` });
});

it('changes nothing on a read-only connection', async () => {
  serve([flag()]);
  await open({ role: 'product', connection: { readOnly: true } });
  expect(screen.queryByRole('switch')).toBeNull();
  // Its state, and its value.
  expect(within(await rowWith(NAME)).getAllByText('off')).toHaveLength(2);
  for (const control of [/^Create/, /'s schedule$/, /^Delete/, /^Add details/])
    expect(screen.queryByRole('button', { name: control })).toBeNull();
});

it('shows hostile names and non-boolean values as text without a switch', { tags: ['long'] }, async () => {
  const hostile = 'FEATURE_<SCRIPT>ALERT(1)</SCRIPT>';
  serve([
    flag(),
    flag({ name: hostile, enabled: null, raw: '<img src=x onerror=alert(1)>' }),
    flag({ name: 'FEATURE_HASH', enabled: null, raw: null, type: 'hash' }),
  ]);
  api.answer(flagContracts.history, { items: [], nextCursor: null });
  const { user } = await open({ role: 'product' });
  const row = await rowWith(hostile);
  expect(textOf(row)).toContain('<img src=x onerror=alert(1)>');
  expect(textOf(row)).toContain('Not a boolean');
  expect(textOf(row)).toContain('An admin can edit it as an environment variable.');
  expect(within(row).queryByRole('switch')).toBeNull();
  expect(textOf(await rowWith('FEATURE_HASH'))).toContain('holds a hash instead of a string');
  await user.click(screen.getByRole('button', { name: `History of ${hostile}` }));
  expect(textOf(await screen.findByRole('dialog'))).toContain(hostile);
  expect(document.querySelector('img, script')).toBeNull();
});

it('keeps the flags with their age while they cannot be refreshed, and recovers', {
  tags: ['long'],
}, async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve([flag()]);
  await open({ role: 'viewer' });
  api.refuse(flagContracts.list, 'unreachable', 'Redis "demo" does not answer.');
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  const banner = await screen.findByText('This data could not be refreshed');
  expect(textOf(banner.closest('[role=status]'))).toContain('Last refreshed');
  expect(rowsOf(LABEL)).toHaveLength(1);
  serve([flag()]);
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  await waitFor(() => expect(screen.queryByText('This data could not be refreshed')).toBeNull());
});

it('checks the name of a new flag while it is typed', { tags: ['long'] }, async () => {
  serve([flag()]);
  const { user, fill } = await open({ role: 'product' });
  await user.click(screen.getByRole('button', { name: 'Create flag' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Create flag' }));
  const verb = drawer.getByRole('button', { name: 'Create flag' });
  const name = drawer.getByLabelText(/^Name/);
  for (const [typed, fault] of [
    ['feature_x', 'A flag’s name starts with FEATURE_.'],
    ['FEATURE_e2e', 'Use only capital letters'],
    [NAME, 'A flag with this name already exists.'],
  ] as const) {
    await fill(name, typed);
    drawer.getByText(new RegExp(fault));
    expect(verb).toHaveProperty('disabled', true);
  }
  api.answer(flagContracts.create, { ...turned(false, 'no'), name: 'FEATURE_MADE' });
  await fill(name, 'FEATURE_MADE');
  await user.click(drawer.getByRole('combobox', { name: 'Stored format' }));
  await user.click(await screen.findByRole('option', { name: 'yes/no' }));
  await fill(drawer.getByLabelText('Description'), 'Lets people make things');
  await user.click(verb);
  await screen.findByText('FEATURE_MADE created');
  expect(api.asked(flagContracts.create)).toEqual([
    { name: 'FEATURE_MADE', enabled: false, style: 'yes/no', description: 'Lets people make things' },
  ]);
});

it('shows owner, kind and tags, and edits them with the description', { tags: ['long'] }, async () => {
  serve([flag({ description: 'What it does', owner: 'Team <b>', kind: 'release', tags: ['web'] })]);
  const { user, fill } = await open({ role: 'product' });
  const row = textOf(await rowWith(NAME));
  for (const part of ['Release', 'Team <b>', 'web']) expect(row).toContain(part);
  await user.click(screen.getByRole('button', { name: `Describe ${NAME}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `Describe ${NAME}` }));
  const about = { description: 'What it does', owner: 'Ann', kind: 'killSwitch' as const, tags: ['web'] };
  api.answer(flagContracts.describe, { name: NAME, ...about, ...audited });
  await fill(drawer.getByLabelText('Owner'), 'Ann');
  await user.click(drawer.getByRole('combobox', { name: 'Kind' }));
  await user.click(await screen.findByRole('option', { name: 'Kill switch' }));
  drawer.getByText('Stays: it turns a feature off in an emergency.');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await screen.findByText(`Details of ${NAME} saved`);
  // What was not edited is not sent: another editor may have changed it.
  expect(api.asked(flagContracts.describe)).toEqual([{ name: NAME, owner: 'Ann', kind: 'killSwitch' }]);
});

it('says beside the field that a tag looks like a secret', async () => {
  serve([flag()]);
  const { user } = await open({ role: 'product' });
  await user.click(screen.getByRole('button', { name: `Add details: ${NAME}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `Describe ${NAME}` }));
  const message = 'A tag cannot contain a token or a secret.';
  api.refuse(flagContracts.describe, 'bad_input', message, {
    extensions: { errors: [{ path: 'tags', message }] },
  });
  await user.type(drawer.getByRole('combobox', { name: 'Tags' }), 'token{Enter}');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await drawer.findAllByText(message);
  expect(api.asked(flagContracts.describe)).toEqual([{ name: NAME, tags: ['token'] }]);
});

it('filters by owner and by tag, and shows three tags of a flag', async () => {
  serve([
    flag({ owner: 'Team A', tags: ['one', 'two', 'three', 'four', 'five'] }),
    flag({ name: 'FEATURE_OTHER', owner: 'Team B', tags: ['one'] }),
    flag({ name: 'FEATURE_PLAIN' }),
  ]);
  const { user } = await open({ role: 'viewer' });
  expect(textOf(await rowWith(NAME))).toContain('onetwothree+2 more');
  await user.click(screen.getByRole('combobox', { name: 'Tag' }));
  await user.click(await screen.findByRole('option', { name: 'one' }));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(2));
  await user.click(screen.getByRole('combobox', { name: 'Owner' }));
  await user.click(await screen.findByRole('option', { name: 'Team B' }));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  expect(window.location.search).toBe('?tag=one&owner=Team+B');
});

it('offers no filter by owner or tag where none is noted', async () => {
  serve([flag()]);
  await open({ role: 'viewer' });
  for (const name of ['Owner', 'Tag']) expect(screen.queryByRole('combobox', { name })).toBeNull();
});

describe('comparing connections', () => {
  const COMPARISON = 'Compare feature flags';
  const staging = { id: 'staging', name: 'Staging <b>', environment: 'staging' as const };
  /** Answers by connection; a missing one is unreachable. */
  const serveEach = (lists: Record<string, List>) =>
    api.answer(flagContracts.list, (_, path) => {
      const list = lists[path.split('/')[4]!];
      if (list) return list;
      throw new Problem('unreachable', 'Redis does not answer.');
    });
  const textsOfRows = () => rowsOf(COMPARISON).map(textOf);

  it('shows all flags side by side, with a link to each', async () => {
    serveEach({
      demo: listOf([flag({ enabled: true, raw: 'on' }), flag({ name: 'FEATURE_SAME' })]),
      staging: listOf([flag(), flag({ name: 'FEATURE_SAME', raw: 'no' }), flag({ name: 'FEATURE_THERE' })]),
      canary: listOf([flag(), flag({ name: 'FEATURE_SAME' })]),
    });
    const { user } = await open({
      role: 'viewer',
      others: [staging, { id: 'canary', name: 'Canary' }, { id: 'metrics', name: 'Metrics', roles: [] }],
    });
    await user.click(screen.getByRole('button', { name: 'Compare' }));
    const drawer = within(await screen.findByRole('dialog', { name: COMPARISON }));
    await drawer.findByText('2 flags differ of 3.');
    expect(textsOfRows()).toEqual([
      `${NAME}differsonoffoff`,
      'FEATURE_THEREdiffersdoes not existoffdoes not exist',
    ]);
    expect(drawer.queryByText('Metrics')).toBeNull();
    const link = drawer.getByRole('link', { name: `${NAME} on Staging <b>: off` });
    expect(link.getAttribute('href')).toBe(`/staging/flags?q=${NAME}`);
    await user.click(drawer.getByRole('switch', { name: 'Only differences' }));
    expect(rowsOf(COMPARISON)).toHaveLength(3);
    expect(window.location.search).toBe('?compare=.');
  });

  it('compares with the connections in the address', async () => {
    serveEach({ demo: listOf([flag()]), canary: listOf([flag({ enabled: true, raw: 'on' })]) });
    const others = [staging, { id: 'canary', name: 'Canary' }];
    renderAt('/demo/flags?compare=canary', <Flags />, { role: 'viewer', others });
    await waitFor(() => expect(textsOfRows()).toEqual([`${NAME}differsoffon`]));
  });

  it('shows an unreachable connection as unknown, and no difference to it', async () => {
    serveEach({ demo: listOf([flag()]) });
    const { user } = renderAt('/demo/flags?compare=.', <Flags />, { role: 'viewer', others: [staging] });
    const drawer = within(await screen.findByRole('dialog', { name: COMPARISON }));
    await drawer.findByText(/cannot be read now: its values are unknown/);
    drawer.getByText('No differences of 1.');
    await user.click(drawer.getByRole('switch', { name: 'Only differences' }));
    expect(textsOfRows()).toEqual([`${NAME}offunknown`]);
  });

  it('shows one flag by connection, from its history', async () => {
    serveEach({ demo: listOf([flag({ enabled: true, raw: 'on' })]), staging: listOf([]) });
    api.answer(flagContracts.history, { items: [], nextCursor: null });
    const { user } = await open({ role: 'viewer', others: [staging] });
    await user.click(screen.getByRole('button', { name: `History of ${NAME}` }));
    await user.click(await screen.findByRole('button', { name: 'Compare with other connections' }));
    const drawer = within(await screen.findByRole('dialog', { name: `${NAME} by connection` }));
    await drawer.findByText('The connections hold different values.');
    expect(textsOfRows().map((text) => text.replace('—', ''))).toEqual([
      'Demodevelopmenton',
      'Staging <b>stagingdoes not exist',
    ]);
    expect(window.location.search).toBe(`?compare=.&flag=${NAME}`);
    await user.click(drawer.getByRole('button', { name: 'All flags' }));
    await screen.findByRole('dialog', { name: COMPARISON });
  });
});

it('deletes a flag only when its name was typed', { tags: ['long'] }, async () => {
  serve([flag()]);
  const { user, fill } = await open({ role: 'product' });
  await user.click(screen.getByRole('button', { name: `Delete ${NAME}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `Delete ${NAME}` }));
  const verb = drawer.getByRole('button', { name: 'Delete flag' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(new RegExp(`Type ${NAME}`)), 'FEATURE_SEARC');
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(new RegExp(`Type ${NAME}`)), NAME);
  api.answer(flagContracts.delete, { name: NAME, unscheduled: 0, ...audited });
  serve([]);
  await user.click(verb);
  await screen.findByText(`${NAME} deleted`);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(0));
  expect(api.asked(flagContracts.delete)).toEqual([{ name: NAME, etag: 'etag-1' }]);
});

it('schedules changes, and says why one was suspended', { tags: 'long' }, async () => {
  const planned = { id: 'plan-1', at: soon(60), enabled: true, by: 'a', reason: null, why: null };
  serve([
    flag({
      schedule: [
        { ...planned, state: 'waiting' },
        { ...planned, id: 'plan-2', at: soon(90), state: 'waiting' },
        {
          ...planned,
          id: 'plan-3',
          at: soon(-9),
          state: 'suspended',
          why: 'The flag was changed meanwhile.',
        },
      ],
    }),
  ]);
  const { user, fill } = await open({ role: 'product' });
  const row = await rowWith(NAME);
  expect(textOf(row)).toContain('+1 more');
  expect(textOf(row)).toContain('1 suspended');
  await user.click(screen.getByRole('button', { name: `${NAME}'s schedule` }));
  const plan = within(await screen.findByRole('dialog', { name: `${NAME}'s schedule` }));
  const list = plan.getByRole('list', { name: 'Scheduled changes' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(3);
  expect(textOf(list)).toContain('The flag was changed meanwhile.');
  await fill(plan.getByLabelText(/^When/), '2020-01-01T09:00:01');
  await plan.findByText('This time is in the past.');
  expect(plan.getByRole('button', { name: 'Schedule change' })).toHaveProperty('disabled', true);
  api.answer(flagContracts.schedule, ({ at, enabled }) => ({
    name: NAME,
    planned: { ...planned, at, enabled, state: 'waiting' as const },
    ...audited,
  }));
  await user.click(plan.getByRole('button', { name: 'Add change' }));
  const [first, second] = plan.getAllByRole('button', { name: 'Tomorrow 09:00' });
  await user.click(first!);
  await user.click(second!);
  await plan.findAllByText('Another change is scheduled for this time.');
  await user.click(plan.getAllByRole('button', { name: 'In one hour' })[0]!);
  await user.click(plan.getByRole('button', { name: 'Schedule 2 changes' }));
  await screen.findByText(`2 changes of ${NAME} scheduled`);
  expect(api.asked(flagContracts.schedule)).toHaveLength(2);
});

it('requests a change where approval is needed, and lets the requester only withdraw it', {
  tags: 'long',
}, async () => {
  serve([flag({ enabled: true, raw: 'on' })], { approval: 'two-person' });
  const { ask, press, unmount, fill } = await open({ role: 'product' });
  const question = await ask();
  api.answer(flagContracts.request, { name: NAME, request: request({ mayDecide: false }), ...audited });
  serve([flag({ enabled: true, raw: 'on', request: request({ mayDecide: false }) })], {
    approval: 'two-person',
  });
  await fill(within(question).getByLabelText('Reason'), 'Ticket 21: it is spammed');
  await press(question, 'Request: turn off');
  await screen.findByText(`Change of ${NAME} requested`);
  expect(api.asked(flagContracts.request)).toEqual([
    { name: NAME, action: 'set', enabled: false, etag: 'etag-1', reason: 'Ticket 21: it is spammed' },
  ]);
  const row = await rowWith(NAME);
  await within(row).findByRole('button', { name: /^Withdraw/ });
  expect(screen.queryByRole('button', { name: `Approve the change of ${NAME}` })).toBeNull();
  expect(within(row).queryByRole('switch')).toBeNull();
  within(row).getByText('off');
  unmount();
  serve([flag({ enabled: true, raw: 'on', request: request() })], { approval: 'two-person' });
  await open({ role: 'admin' });
  const other = within(await rowWith(NAME));
  other.getByRole('button', { name: `Approve the change of ${NAME}` });
  other.getByRole('button', { name: `Decline the change of ${NAME}` });
  other.getByText('Ticket 21: it is spammed');
});

it('says that an approved change was suspended', { tags: ['long'] }, async () => {
  serve([flag({ enabled: true, raw: 'on', request: request() })], { approval: 'two-person' });
  const { user } = await open({ role: 'admin' });
  const row = within(await rowWith(NAME));
  await user.click(row.getByRole('button', { name: `Approve the change of ${NAME}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `Approve the change of ${NAME}` }));
  drawer.getByText('Turn off');
  api.answer(flagContracts.approve, {
    name: NAME,
    state: 'suspended',
    why: 'The flag was changed meanwhile.',
    etag: null,
    ...audited,
  });
  await user.click(drawer.getByRole('button', { name: 'Approve' }));
  await screen.findByText(`${NAME}: change not applied`);
  screen.getByText('The flag was changed meanwhile.');
});
