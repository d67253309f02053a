import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Metrics from '@/app/(console)/[connection]/metrics/page';
import type { Result } from '@/lib/contract';
import { type MetricItem, metricContracts, type PinnedMetric } from '@/lib/metrics/schema';
import type { Role } from '@/lib/permissions';
import { downloads } from '@/scripts/testing/downloads';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const files = downloads();
const LABEL = 'Metrics by name';
const SECRET = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

const metric = (name: string, period: string, change: Partial<MetricItem> = {}): MetricItem => ({
  keyId: `${name}-${period}`,
  key: `metrics:${name}:${period}`,
  kind: 'metric',
  name,
  period,
  group: `group-${name}`,
  value: 1,
  text: null,
  problem: null,
  fields: null,
  ttlSeconds: 600,
  series: [null, 1, 2],
  ...change,
});

const FIELDS = [
  { fieldId: 'f1', field: 'new', value: 2.5, text: null, problem: null },
  { fieldId: 'f2', field: 'top', value: null, text: '<b>rivers</b>', problem: 'notANumber' as const },
  { fieldId: 'f3', field: 'total', value: 40, text: null, problem: null },
];
const stats = (name: string, period: string): MetricItem => ({
  ...metric(name, period, { kind: 'stats', value: null, fields: FIELDS }),
  group: `stats-${name}`,
  key: `stats:${name}:${period}`,
});

type Answer = Result<typeof metricContracts.list>;
const answer = (items: MetricItem[], change: Partial<Answer> = {}): Answer => ({
  items,
  nextCursor: null,
  complete: true,
  scanned: true,
  stepSeconds: 10,
  sampledAt: new Date().toISOString(),
  ...change,
});

const pin = (item: MetricItem, change: Partial<PinnedMetric> = {}): PinnedMetric => {
  const { fields: _, series, ...named } = item;
  return {
    ...named,
    id: 'pin',
    field: null,
    fieldId: null,
    series: series ?? [],
    pinnedAt: new Date().toISOString(),
    ...change,
  };
};

const pins = (...items: PinnedMetric[]) =>
  api.answer(metricContracts.pinned, { items, nextCursor: null, stepSeconds: 10 });

const serve = (items: MetricItem[], change: Partial<Answer> = {}) => {
  api.answer(metricContracts.list, answer(items, change));
  api.answer(metricContracts.series, { points: [], stepSeconds: 10 });
  pins();
};

const open = (search = '', role: Role = 'viewer') =>
  renderAt(`/demo/metrics${search}`, <Metrics />, { role });

it('shows the periods of a name side by side, the usual ones first', async () => {
  serve([
    metric('visits', 'hourly', { value: 3 }),
    metric('visits', 'daily', { value: 1234.5 }),
    metric('visits', '2024-01', { value: 7 }),
    metric('active', 'hourly', { value: 0 }),
    stats('topics', 'weekly'),
  ]);
  open();
  const row = await rowWith('visits');
  const headers = within(screen.getByRole('table', { name: LABEL }))
    .getAllByRole('columnheader')
    .map(textOf);
  expect(headers.map((header) => header.trim())).toEqual(['Name', 'hourly', 'daily', 'weekly', '2024-01']);
  expect(['hourly', 'daily', 'weekly', '2024-01'].map((period) => cellOf(row, period))).toEqual([
    '3',
    '1,234.5',
    '—',
    '7',
  ]);
  expect(cellOf(await rowWith('active'), 'hourly')).toBe('0');
  const topics = await rowWith('topics');
  expect(cellOf(topics, 'Name')).toBe('topicsstatistics');
  expect(cellOf(topics, 'weekly')).toBe('new2.5top—total40');
  expect(row.querySelectorAll('[data-sparkline]')).toHaveLength(3);
});

it('has columns for a few periods only', async () => {
  serve(['a', 'b', 'c', 'd'].map((period) => metric('visits', period)));
  open();
  const row = await rowWith('visits');
  expect(cellOf(row, 'Other periods')).toBe('2 periods');
});

it('shows what is no number as text with a badge, and all digits of a long number', async () => {
  serve([
    metric('long', 'daily', { value: 2 ** 53, text: '9007199254740993' }),
    metric('text', 'daily', { value: null, text: '<img src=x>', problem: 'notANumber' }),
    metric('hidden', 'daily', { value: null, problem: 'tooLong' }),
    metric('list', 'daily', { value: null, problem: 'wrongType', series: [] }),
  ]);
  open();
  expect(cellOf(await rowWith('text'), 'daily')).toBe('<img src=x>not a number');
  expect(cellOf(await rowWith('long'), 'daily')).toBe('9,007,199,254,740,993');
  expect(cellOf(await rowWith('hidden'), 'daily')).toBe('too long');
  expect(cellOf(await rowWith('list'), 'daily')).toBe('wrong type');
  expect(document.querySelector('img')).toBeNull();
});

it('filters by what the address says, and joins the periods of a name from two pages', async () => {
  const first = [metric('alpha', 'daily'), metric('beta', 'hourly')];
  serve([]);
  api.answer(metricContracts.list, ({ cursor }) =>
    cursor ? answer([metric('beta', 'daily')]) : answer(first, { nextCursor: 'next' }),
  );
  open('?q=vis');
  await rowWith('alpha');
  expect(api.asked(metricContracts.list)[0]).toMatchObject({ q: 'vis', withSeries: true });
  const row = await rowWith('beta');
  expect([cellOf(row, 'hourly'), cellOf(row, 'daily')]).toEqual(['1', '1']);
});

it('does not search for what looks like a secret', async () => {
  serve([metric('visits', 'daily')]);
  const { user } = open();
  await rowWith('visits');
  await user.click(screen.getByRole('searchbox'));
  await user.paste(SECRET);
  await user.keyboard('{Enter}');
  await screen.findByText(/looks like a token/);
  expect(window.location.search).not.toContain('q=');
  expect(JSON.stringify(api.asked(metricContracts.list))).not.toContain(SECRET);
});

it('opens a metric with its history, its TTL and its periods, and pins it', async () => {
  serve([
    metric('visits', 'hourly', { value: 3 }),
    metric('visits', 'daily', { value: 9, ttlSeconds: null }),
  ]);
  api.answer(metricContracts.series, {
    points: [{ at: new Date().toISOString(), value: 9 }],
    stepSeconds: 10,
  });
  api.answer(metricContracts.pin, { id: 'pin', auditId: 'a' });
  const { user } = open();
  await user.click(await rowWith('visits'));
  const drawer = within(await screen.findByRole('dialog', { name: 'visits' }));
  expect(window.location.search).toContain('metric=group-visits');
  drawer.getByText('10 min');
  await user.click(drawer.getByRole('radio', { name: 'daily' }));
  drawer.getByText('never');
  await waitFor(() =>
    expect(api.asked(metricContracts.series).at(-1)).toMatchObject({ keyId: 'visits-daily' }),
  );
  // A viewer may not look at keys.
  expect(drawer.queryByRole('link')).toBeNull();
  await user.click(drawer.getByRole('button', { name: 'Pin visits to the overview' }));
  await waitFor(() => expect(api.asked(metricContracts.pin)).toEqual([{ keyId: 'visits-daily' }]));
});

it('does not say that a key never expires which it may not read', async () => {
  serve([metric('visits', 'daily', { value: null, problem: 'notPermitted', ttlSeconds: null })]);
  open('?metric=group-visits');
  const drawer = within(await screen.findByRole('dialog', { name: 'visits' }));
  expect(textOf(drawer.getByText('Expires in').parentElement!)).toBe('Expires in—');
});

it('draws and pins single fields of statistics', async () => {
  serve([stats('topics', 'weekly')]);
  pins(pin(stats('topics', 'weekly'), { field: 'total', fieldId: 'f3', value: 40 }));
  api.answer(metricContracts.unpin, { id: 'pin', auditId: 'b' });
  const { user } = open('?metric=stats-topics', 'product');
  const drawer = within(await screen.findByRole('dialog', { name: 'topics' }));
  const unpin = await drawer.findByRole('button', { name: 'Unpin total from the overview' });
  const fields = within(drawer.getByRole('list', { name: 'Fields' }))
    .getAllByRole('listitem')
    .map(textOf);
  expect(fields).toEqual(['new2.5Pin', 'top<b>rivers</b>not a numberPin', 'total40Unpin']);
  expect(drawer.getByRole('link').getAttribute('href')).toBe('/demo/keys/topics-weekly');
  await waitFor(() =>
    expect(api.asked(metricContracts.series).map(({ fieldId }) => fieldId)).toEqual(['f1', 'f3']),
  );
  await user.click(unpin);
  await waitFor(() => expect(api.asked(metricContracts.unpin)).toEqual([{ id: 'pin' }]));
});

it('says why a pin was refused', async () => {
  serve([metric('visits', 'daily')]);
  api.refuse(metricContracts.pin, 'conflict', 'You have 12 pins on this connection: remove one first.');
  const { user } = open('?metric=group-visits');
  const button = await screen.findByRole('button', { name: 'Pin visits to the overview' });
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false));
  await user.click(button);
  await screen.findByText(/You have 12 pins/);
});

it('says what would be here, when not all is known, and why nothing can be read', {
  tags: 'long',
}, async () => {
  serve([metric('visits', 'daily')], { complete: false });
  const many = open();
  expect((await screen.findAllByText(/more than 5,000 metrics/)).length).toBeGreaterThan(0);
  many.unmount();
  serve([], { complete: false, scanned: false });
  const { unmount } = open();
  expect((await screen.findAllByText(/Not all metrics are known yet/)).length).toBeGreaterThan(0);
  unmount();
  serve([]);
  const second = open();
  await screen.findByText('No metrics');
  screen.getByText(/metrics:\{name\}:\{period\}/);
  second.unmount();
  api.refuse(metricContracts.list, 'unreachable', 'Redis is unreachable.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('Redis is unreachable.');
});

it('exports values by period', async () => {
  serve([metric('=visits', 'daily', { value: 4 }), stats('topics', 'daily')]);
  const { user } = open();
  await rowWith('topics');
  await user.click(screen.getAllByRole('button', { name: 'Export' })[0]!);
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(await files[0]!.content.text()).toBe(
    "Name,daily\r\n'=visits,4\r\ntopics,new=2.5 top=<b>rivers</b> total=40\r\n",
  );
});
