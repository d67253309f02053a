import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { metricContracts, type PinnedMetric } from '@/lib/metrics/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { PinnedTiles } from './pinned-tiles';

const api = fakeApi();

const pin = (name: string, change: Partial<PinnedMetric> = {}): PinnedMetric => ({
  id: `pin-${name}`,
  keyId: name,
  key: `metrics:${name}:daily`,
  kind: 'metric',
  name,
  period: 'daily',
  group: `g-${name}`,
  field: null,
  fieldId: null,
  value: 1234,
  text: null,
  problem: null,
  ttlSeconds: 60,
  series: [1, null, 3],
  pinnedAt: new Date().toISOString(),
  ...change,
});

const pins = (...items: PinnedMetric[]) => ({ items, nextCursor: null, stepSeconds: 10 });
const open = (count: number) => renderAt('/demo/overview', <PinnedTiles count={count} />, { role: 'viewer' });
const tiles = () => within(screen.getByRole('region', { name: 'Pinned metrics' })).getAllByRole('listitem');

it('shows pinned metrics with their values, and leads to each', async () => {
  api.answer(
    metricContracts.pinned,
    pins(
      pin('visits'),
      pin('topics', { kind: 'stats', field: 'total', fieldId: 'f', value: 40 }),
      pin('old', { value: null, problem: 'gone' }),
      pin('unknown', { value: null, problem: 'gone', period: '', group: '', series: [] }),
      pin('text', { value: null, text: '<b>x</b>', problem: 'notANumber' }),
    ),
  );
  open(5);
  await screen.findByText('1,234');
  expect(tiles().map(textOf)).toEqual([
    'visits1,234daily',
    'topics · total40daily',
    'oldgonedaily',
    'unknowngone',
    'text<b>x</b>not a numberdaily',
  ]);
  const link = screen.getByRole('link', { name: 'visits' });
  expect(link.getAttribute('href')).toBe('/demo/metrics?q=visits&metric=g-visits&period=daily');
});

it('reserves the places of the pins while they load, and has none without pins', async () => {
  const release = api.hold(metricContracts.pinned, pins(pin('visits'), pin('other')));
  open(2);
  expect(tiles()).toHaveLength(2);
  release();
  await screen.findByText('other');
  expect(tiles()).toHaveLength(2);
});

it('is nothing without pins', async () => {
  api.answer(metricContracts.pinned, pins());
  open(0);
  await waitFor(() => expect(api.asked(metricContracts.pinned)).toHaveLength(1));
  expect(screen.queryByRole('region')).toBeNull();
});

it('takes a metric off the overview', async () => {
  let left = [pin('visits'), pin('other')];
  api.answer(metricContracts.pinned, () => pins(...left));
  api.answer(metricContracts.unpin, ({ id }) => {
    left = left.filter((pin) => pin.id !== id);
    return { id, auditId: 'a' };
  });
  const { user } = open(2);
  await user.click(await screen.findByRole('button', { name: 'Unpin visits' }));
  await waitFor(() => expect(tiles().map(textOf)).toEqual(['other1,234daily']));
  expect(api.asked(metricContracts.unpin)).toEqual([{ id: 'pin-visits' }]);
});
