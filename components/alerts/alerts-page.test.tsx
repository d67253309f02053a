import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Alerts from '@/app/(console)/[connection]/alerts/page';
import { type AlertChannel, alertChannelContracts } from '@/lib/alerts/channels/schema';
import { type AlertEvent, type AlertRule, type AlertSeries, alertContracts } from '@/lib/alerts/schema';
import { expositionContracts } from '@/lib/exposition/schema';
import type { Role } from '@/lib/permissions';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const NOW = new Date().toISOString();
const METRIC = 'keyward_redis_memory_used_ratio';

const rule = (change: Partial<AlertRule> = {}): AlertRule => ({
  id: 'rule-1',
  name: 'Memory <i>',
  description: '',
  severity: 'critical',
  unit: 'ratio',
  source: { metric: METRIC, labels: {} },
  condition: 'above',
  value: 0.9,
  windowSeconds: 600,
  changeIn: 'absolute',
  forSeconds: 60,
  clear: null,
  clearForSeconds: 0,
  onNoData: 'keep',
  channels: [{ id: 'channel-1', name: 'Pager', kind: 'webhook' }],
  state: 'firing',
  since: NOW,
  current: 0.93,
  seriesCount: 1,
  seriesSkipped: 0,
  silences: [],
  series: [
    {
      id: 'all',
      labels: {},
      state: 'firing',
      since: NOW,
      value: 0.93,
      noDataSince: null,
      silenced: false,
    },
  ],
  href: '/demo/overview',
  createdBy: 'Ann',
  changedAt: NOW,
  etag: 'etag-1',
  ...change,
});

const event: AlertEvent = {
  id: 'event-1',
  ruleId: 'rule-1',
  name: 'Memory <i>',
  severity: 'critical',
  metric: METRIC,
  unit: 'ratio',
  labels: {},
  firedAt: NOW,
  resolvedAt: null,
  endedBy: null,
  value: 0.93,
  resolvedValue: null,
  silenced: false,
  href: '/demo/overview',
  deliveries: [
    {
      channel: 'Pager',
      kind: 'webhook',
      event: 'firing',
      state: 'failed',
      attempts: 6,
      at: NOW,
      nextAt: null,
      error: 'The receiver answered 503.',
    },
  ],
};

const channel: AlertChannel = {
  id: 'channel-1',
  name: 'Pager',
  kind: 'webhook',
  target: 'hooks.example.org/•••',
  language: 'en',
  rules: 1,
  failingSince: null,
  error: null,
  createdBy: 'Ann',
  changedAt: NOW,
  etag: 'etag-c',
};

const answer = (items: AlertRule[], evaluatedAt: string | null = NOW) =>
  api.answer(alertContracts.list, {
    items,
    nextCursor: null,
    evaluatedAt,
    counts: {
      firing: items.filter(({ state }) => state === 'firing').length,
      pending: 0,
      noData: 0,
      ok: 0,
    },
  });

const open = (search = '', role: Role = 'admin') => renderAt(`/demo/alerts${search}`, <Alerts />, { role });

const answerForm = () => {
  api.answer(alertContracts.preview, {
    from: NOW,
    to: NOW,
    values: [],
    valueSeconds: 600,
    stepSeconds: 60,
    count: 0,
    fired: [],
  });
  const value = (labels: Record<string, string>, of: number) => ({ labels, value: of, at: NOW });
  const memory = {
    name: METRIC,
    help: 'Used memory of the limit.',
    unit: 'ratio' as const,
    labels: [],
    values: [value({}, 0.93)],
  };
  const others = [
    {
      name: 'keyward_family_keys',
      help: 'Keys of a family.',
      unit: 'count' as const,
      labels: ['family'],
      values: [value({ family: 'a' }, 3), value({ family: 'b' }, 30)],
    },
    { name: 'keyward_redis_up', help: 'Whether it is up.', unit: 'count' as const, labels: [], values: [] },
  ];
  // All pages are read: what a rule watches may be on the last one.
  api.answer(expositionContracts.figures, ({ cursor }) =>
    cursor ? { items: [memory], nextCursor: null } : { items: others, nextCursor: 'next' },
  );
  api.answer(alertChannelContracts.list, { items: [channel], nextCursor: null, mail: true });
};

it('shows what fires with its value and limit, and a viewer gets no buttons', async () => {
  answer([rule()]);
  open('', 'viewer');
  const row = await rowWith('Memory <i>');
  expect(['State', 'Value', 'Threshold'].map((heading) => cellOf(row, heading))).toEqual([
    'FiringCritical',
    '93.0%',
    'above 90.0% for 1 min',
  ]);
  expect(within(row).queryByRole('button')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Create rule' })).toBeNull();
  expect(screen.queryByRole('tab', { name: 'Channels' })).toBeNull();
  expect(screen.getByRole('tab', { name: /Firing/ }).textContent).toContain('1');
});

it('says that a firing alert has no data, and hides what the caller may not see', async () => {
  const [series] = rule().series;
  answer([rule({ series: [{ ...series!, value: null, labels: null, noDataSince: NOW }] })]);
  open();
  const row = await rowWith('Memory <i>');
  expect(cellOf(row, 'Value')).toContain('No data since');
  expect(cellOf(row, 'Series')).toBe('—');
});

it('says when all rules were evaluated while nothing fires', async () => {
  answer([rule({ state: 'ok', series: [] })]);
  open();
  await screen.findByText('Nothing fires');
  expect(textOf(document.body)).toContain('All rules were evaluated');
});

it('warns that nobody evaluates, instead of saying that all is well', { tags: ['long'] }, async () => {
  answer([rule({ state: 'ok', series: [] })], null);
  const { user } = open();
  await screen.findByText('What would fire now is not known.');
  expect(screen.getAllByText('Rules are not being evaluated')).toHaveLength(2);
  expect(screen.queryByText('Nothing fires')).toBeNull();
  await user.click(screen.getByRole('tab', { name: 'Rules' }));
  expect(cellOf(await rowWith('Memory <i>'), 'State')).toBe('—Critical');
});

it('says that a rule is OK, without a warning, while it is evaluated', { tags: ['long'] }, async () => {
  answer([rule({ state: 'ok', series: [] })]);
  open('?tab=rules');
  expect(cellOf(await rowWith('Memory <i>'), 'State')).toBe('OKCritical');
  expect(screen.queryByText('Rules are not being evaluated')).toBeNull();
});

it('links a rule to the page of its figure only where the caller may see it', async () => {
  answer([rule(), rule({ id: 'rule-2', name: 'Hidden', href: null })]);
  open('', 'viewer');
  const link = within(await rowWith('Memory <i>')).getByRole('link');
  expect(link.getAttribute('href')).toBe('/demo/overview');
  expect(within(await rowWith('Hidden')).queryByRole('link')).toBeNull();
});

it('does not say that there are no channels before it knows', { tags: ['long'] }, async () => {
  answer([]);
  answerForm();
  api.refuse(alertChannelContracts.list, 'throttled', 'Too many requests.');
  const { user } = open('?tab=rules');
  await user.click(await screen.findByRole('button', { name: 'Create rule' }));
  const form = await screen.findByRole('dialog');
  const retry = await within(form).findByRole('button', { name: 'Try again' });
  expect(textOf(form)).toContain('Too many requests.');
  expect(textOf(form)).not.toContain('There are no channels');
  api.answer(alertChannelContracts.list, { items: [], nextCursor: null, mail: true });
  await user.click(retry);
  await within(form).findByText(/^There are no channels/);
});

it('creates a rule from a template, with what it would say now', { tags: ['long'] }, async () => {
  answer([]);
  answerForm();
  api.answer(alertContracts.create, { id: 'new', etag: 'e', auditId: AUDIT_ID });
  const { user } = open('?tab=rules');
  await user.click(await screen.findByRole('button', { name: 'Create rule' }));
  const form = await screen.findByRole('dialog');
  // Only rules whose figure has a value here are offered.
  const template = await within(form).findByRole('button', { name: 'Memory above 90%' });
  expect(within(form).queryByRole('button', { name: 'Redis is down' })).toBeNull();
  await user.click(template);
  await waitFor(() =>
    expect(textOf(screen.getByTestId('alert-preview'))).toContain('The value is 93.0%. 1 series is beyond'),
  );
  await user.click(within(form).getByRole('button', { name: 'Create rule' }));
  await waitFor(() => expect(api.asked(alertContracts.create)).toHaveLength(1));
  expect(api.asked(alertContracts.create)[0]).toMatchObject({
    name: 'Memory above 90%',
    source: { metric: METRIC, labels: {} },
    condition: 'above',
    value: 0.9,
    clear: 0.85,
    forSeconds: 60,
    severity: 'critical',
  });
});

it('says how often a rule would have fired, and names figures as people do', { tags: ['long'] }, async () => {
  answer([rule()]);
  answerForm();
  const at = (hour: number) => new Date(Date.parse(NOW) - hour * 3_600_000).toISOString();
  api.answer(alertContracts.preview, ({ value }) => ({
    from: at(168),
    to: NOW,
    values: value === 0.95 ? null : [{ at: at(20), value: 0.5 }],
    valueSeconds: 600,
    stepSeconds: 60,
    count: 2,
    fired: [
      { at: at(20), until: at(19) },
      { at: at(3), until: null },
    ],
  }));
  const { user, fill } = open('?tab=rules');
  expect(textOf(await rowWith('Memory <i>'))).toContain('Used memory of the limit');
  await user.click(await screen.findByRole('button', { name: 'Actions for Memory <i>' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const form = await screen.findByRole('dialog');
  expect(within(form).getByRole('combobox', { name: 'Metric' })).toHaveProperty(
    'value',
    'Used memory of the limit',
  );
  expect(textOf(form)).toContain(`${METRIC}: Used memory`);
  expect(textOf(await screen.findByTestId('alert-past'))).toContain('it would have fired 2 times');
  expect(api.asked(alertContracts.preview)[0]).toMatchObject({ value: 0.9, forSeconds: 60 });
  await fill(within(form).getByRole('textbox', { name: /^Threshold/ }), '95');
  await within(form).findByText(/no history of this figure is kept/);
});

it('creates a channel in the form of a rule, which keeps what was typed and sends it there', async () => {
  answer([]);
  answerForm();
  const created = { id: 'channel-2', etag: 'e', auditId: AUDIT_ID };
  api.answer(alertContracts.create, { ...created, id: 'new' });
  api.answer(alertChannelContracts.create, ({ name }) => {
    const items = [channel, { ...channel, id: 'channel-2', name }];
    api.answer(alertChannelContracts.list, { items, nextCursor: null, mail: true });
    return { ...created, secret: 'signing-key-of-the-test' };
  });
  const { user, fill } = open('?tab=rules');
  await user.click(await screen.findByRole('button', { name: 'Create rule' }));
  const form = await screen.findByRole('dialog', { name: 'Create rule' });
  await user.click(await within(form).findByRole('button', { name: 'Memory above 90%' }));
  await fill(within(form).getByRole('textbox', { name: /^Name/ }), 'Mine');
  await fill(within(form).getByLabelText('Reason'), 'Ticket 7');
  await user.click(within(form).getByRole('button', { name: 'New channel' }));
  const sheet = await screen.findByRole('dialog', { name: 'Create channel' });
  await fill(within(sheet).getByRole('textbox', { name: /^Name/ }), 'Ops');
  await fill(within(sheet).getByLabelText(/^Address/), 'https://hooks.example.org/secret');
  await user.click(within(sheet).getByRole('combobox', { name: 'Language of messages' }));
  await user.click(await screen.findByRole('option', { name: 'Русский' }));
  await user.click(within(sheet).getByRole('button', { name: 'Create channel' }));
  await screen.findByTestId('signing-key');
  // Esc belongs to what is above.
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'I have stored it' }));
  await within(form).findByText('Ops');
  expect(api.asked(alertChannelContracts.create)).toMatchObject([{ name: 'Ops', language: 'ru' }]);
  expect(api.asked(alertContracts.create)).toEqual([]);
  await user.click(within(form).getByRole('button', { name: 'Create rule' }));
  await waitFor(() => expect(api.asked(alertContracts.create)).toHaveLength(1));
  expect(api.asked(alertContracts.create)[0]).toMatchObject({
    name: 'Mine',
    value: 0.9,
    channels: ['channel-2'],
    reason: 'Ticket 7',
  });
});

it('takes the limit of a ratio in percent, and says no other number', { tags: 'long' }, async () => {
  answer([]);
  answerForm();
  api.answer(alertContracts.create, { id: 'new', etag: 'e', auditId: AUDIT_ID });
  const { user, fill } = open('?tab=rules');
  await user.click(await screen.findByRole('button', { name: 'Create rule' }));
  const form = await screen.findByRole('dialog');
  await user.click(await within(form).findByRole('button', { name: 'Memory above 90%' }));
  const limit = within(form).getByRole('textbox', { name: /^Threshold/ });
  expect(limit).toHaveProperty('value', '90%');
  await fill(limit, '80.5');
  await fill(within(form).getByRole('textbox', { name: /^Resolves at/ }), '70');
  expect(textOf(form)).not.toMatch(/8,?050|That is/);
  await user.click(within(form).getByRole('button', { name: 'Create rule' }));
  await waitFor(() => expect(api.asked(alertContracts.create)).toHaveLength(1));
  expect(api.asked(alertContracts.create)[0]).toMatchObject({ value: 0.805, clear: 0.7 });
});

it('changes a rule as it was read, and shows a refusal at its field', { tags: 'long' }, async () => {
  answer([rule()]);
  answerForm();
  api.refuse(alertContracts.update, 'bad_input', 'clear: no', {
    extensions: { errors: [{ path: 'clear', message: 'Must not be above the limit.' }] },
  });
  const { user, fill } = open('?tab=rules');
  await user.click(await screen.findByRole('button', { name: 'Actions for Memory <i>' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const form = await screen.findByRole('dialog');
  await fill(within(form).getByRole('textbox', { name: /^Resolves at/ }), '95');
  await user.click(within(form).getByRole('button', { name: 'Save rule' }));
  await within(form).findAllByText(/Must not be above the limit/);
  expect(api.asked(alertContracts.update)[0]).toMatchObject({
    id: 'rule-1',
    etag: 'etag-1',
    name: 'Memory <i>',
    clear: 0.95,
    channels: ['channel-1'],
  });
});

it('silences a rule with a reason', { tags: ['long'] }, async () => {
  answer([rule()]);
  api.answer(alertContracts.silence, ({ until }) => ({ id: 'rule-1', until, auditId: AUDIT_ID }));
  const { user, fill } = open();
  await rowWith('Memory <i>');
  await user.click(screen.getByRole('button', { name: 'Silence Memory <i>' }));
  const drawer = await screen.findByRole('dialog', { name: 'Silence Memory <i>' });
  await fill(within(drawer).getByRole('textbox', { name: /Reason/ }), 'planned work');
  await user.click(within(drawer).getByRole('button', { name: 'Silence' }));
  await waitFor(() => expect(api.asked(alertContracts.silence)).toHaveLength(1));
  expect(api.asked(alertContracts.silence)[0]).toMatchObject({ id: 'rule-1', reason: 'planned work' });
});

const seriesOf = (family: string): AlertSeries => ({
  id: `id-${family}`,
  labels: { family },
  state: 'firing',
  since: NOW,
  value: 0.93,
  noDataSince: null,
  silenced: false,
});
const [A, B] = [seriesOf('a'), seriesOf('b')] as const;
const silenceOf = (of: AlertSeries | null, reason: string) => ({
  series: of?.id ?? null,
  labels: of?.labels ?? null,
  until: NOW,
  reason,
  by: 'Ann',
});
const seriesField = (drawer: HTMLElement) =>
  within(drawer).getByRole<HTMLInputElement>('combobox', { name: 'Series' });

it('silences the series whose row was pressed', { tags: ['long'] }, async () => {
  answer([rule({ series: [A, B] })]);
  api.answer(alertContracts.silence, ({ until }) => ({ id: 'rule-1', until, auditId: AUDIT_ID }));
  const { user, fill } = open();
  const row = await rowWith('family="b"');
  await user.click(within(row).getByRole('button', { name: 'Silence Memory <i>' }));
  const drawer = await screen.findByRole('dialog', { name: 'Silence Memory <i>' });
  expect(seriesField(drawer).value).toBe('family="b"');
  await fill(within(drawer).getByRole('textbox', { name: /Reason/ }), 'planned work');
  await user.click(within(drawer).getByRole('button', { name: 'Silence' }));
  await waitFor(() => expect(api.asked(alertContracts.silence)).toHaveLength(1));
  expect(api.asked(alertContracts.silence)[0]).toMatchObject({ id: 'rule-1', series: 'id-b' });
});

it('tells silences of series from one of all, and ends the chosen one', { tags: ['long'] }, async () => {
  const silences = [silenceOf(A, 'disk is replaced'), silenceOf(B, 'data are moved')];
  answer([
    rule({ series: [A, B], silences }),
    rule({ id: 'rule-2', name: 'All', silences: [silenceOf(null, 'holiday'), ...silences] }),
  ]);
  api.answer(alertContracts.unsilence, { id: 'rule-1', auditId: AUDIT_ID });
  const { user } = open('?tab=rules');
  expect(cellOf(await rowWith('Memory <i>'), 'State')).toBe('FiringCritical2 series silenced');
  expect(cellOf(await rowWith('All'), 'State')).toBe('FiringCriticalSilenced');
  await user.click(screen.getByRole('button', { name: 'Actions for Memory <i>' }));
  await user.click(await screen.findByRole('menuitem', { name: 'End silence' }));
  const drawer = await screen.findByRole('dialog', { name: 'End a silence of Memory <i>' });
  expect(textOf(drawer)).toContain('disk is replaced');
  await user.click(seriesField(drawer));
  await user.click(await screen.findByRole('option', { name: 'family="b"' }));
  expect(textOf(drawer)).toContain('data are moved');
  await user.click(within(drawer).getByRole('button', { name: 'End silence' }));
  await waitFor(() => expect(api.asked(alertContracts.unsilence)).toHaveLength(1));
  expect(api.asked(alertContracts.unsilence)[0]).toMatchObject({ id: 'rule-1', series: 'id-b' });
});

it('leads a viewer from a rule to its history, and offers no change', { tags: ['long'] }, async () => {
  answer([rule()]);
  api.answer(alertContracts.history, { items: [event], nextCursor: null });
  const { user } = open('?tab=rules', 'viewer');
  await rowWith('Memory <i>');
  await user.click(screen.getByRole('button', { name: 'Actions for Memory <i>' }));
  expect((await screen.findAllByRole('menuitem')).map(textOf)).toEqual(['History']);
  await user.click(screen.getByRole('menuitem', { name: 'History' }));
  await waitFor(() => expect(rowsOf('Alerts that fired')).toHaveLength(1));
  expect(window.location.search).toBe('?tab=history&rule=rule-1');
});

it('shows an alert of the history with its deliveries', async () => {
  answer([rule()]);
  api.answer(alertContracts.history, { items: [event], nextCursor: null });
  const { user } = open('?tab=history&rule=rule-1');
  const row = await rowWith('Memory <i>');
  expect(api.asked(alertContracts.history)[0]).toMatchObject({ rule: 'rule-1' });
  expect(cellOf(row, 'Deliveries')).toBe('1 failed');
  expect(rowsOf('Alerts that fired')).toHaveLength(1);
  await user.click(within(row).getByText('Memory <i>'));
  const drawer = await screen.findByRole('dialog');
  expect(textOf(drawer)).toContain('The receiver answered 503.');
});

it('shows the signing key of a new webhook once, and never an address', { tags: ['long'] }, async () => {
  answer([]);
  answerForm();
  const secret = 'signing-key-of-the-test';
  api.answer(alertChannelContracts.create, { id: 'c', etag: 'e', secret, auditId: AUDIT_ID });
  const { user, fill } = open('?tab=channels');
  const row = await rowWith('Pager');
  expect(cellOf(row, 'Sent to')).toBe('hooks.example.org/•••');
  await user.click(screen.getByRole('button', { name: 'Create channel' }));
  const form = await screen.findByRole('dialog', { name: 'Create channel' });
  await fill(within(form).getByRole('textbox', { name: /^Name/ }), 'Ops');
  await fill(within(form).getByLabelText(/^Address/), 'https://hooks.example.org/secret');
  await user.click(within(form).getByRole('button', { name: 'Create channel' }));
  expect((await screen.findByTestId('signing-key')).textContent).toBe(secret);
  await user.click(screen.getByRole('button', { name: 'I have stored it' }));
  await waitFor(() => expect(screen.queryByTestId('signing-key')).toBeNull());
});

it('tells what happened to a test message', { tags: ['long'] }, async () => {
  answer([]);
  answerForm();
  const error = 'The receiver answered 503.';
  api.answer(alertChannelContracts.test, { state: 'failed', status: 503, ms: 12, error, auditId: AUDIT_ID });
  const { user } = open('?tab=channels');
  await rowWith('Pager');
  await user.click(screen.getByRole('button', { name: 'Actions for Pager' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Send test message' }));
  const drawer = await screen.findByRole('dialog', { name: 'Test Pager' });
  await user.click(within(drawer).getByRole('button', { name: 'Send test message' }));
  await within(drawer).findByText('Not delivered');
  expect(textOf(drawer)).toContain('The receiver answered 503. It took 12 ms.');
});
