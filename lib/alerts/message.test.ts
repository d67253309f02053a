import { expect, it } from 'vitest';
import type { StoredEvent } from './event';
import { messageOf, seriesId } from './message';

const event = (change: Partial<StoredEvent>): StoredEvent => ({
  id: 'e',
  ruleId: 'r',
  name: 'Low',
  description: '',
  severity: 'warning',
  metric: 'keyward_redis_hit_ratio',
  series: 's',
  labels: {},
  limit: 'below 50.0% for 10 min',
  unit: 'ratio',
  firedAt: 0,
  value: 0.431,
  resolvedAt: null,
  resolvedValue: null,
  endedBy: null,
  silenced: false,
  deliveries: [],
  ...change,
});
const ofFamily = { metric: 'keyward_family_hit_ratio', labels: { family: 'discours.shouts' } };

it.each([
  ['firing', {}, 'Hit rate: 43.1%, below 50.0% for 10 min.'],
  ['firing', { value: null }, 'Hit rate: no data.'],
  ['firing', ofFamily, 'Hit rate of a family (family="discours.shouts"): 43.1%, below 50.0% for 10 min.'],
  ['resolved', { resolvedValue: 0.6 }, 'Hit rate: 60.0%; the limit is below 50.0% for 10 min.'],
  ['resolved', {}, 'Hit rate: data again.'],
  [
    'firing',
    { metric: 'keyward_other', labels: { a: 'b' } },
    'keyward_other{a="b"}: 43.1%, below 50.0% for 10 min.',
  ],
] as const)('names the metric of a %s alert as people do', (which, change, text) => {
  expect(messageOf('main', event(change), { id: 'd', event: which }).text).toBe(text);
});

it('keeps the name of Prometheus for scripts and the audit log', () => {
  const { metric } = messageOf('main', event({}), { id: 'd', event: 'firing' });
  expect(metric).toBe('keyward_redis_hit_ratio');
  expect(seriesId(metric!, { family: 'a' })).toBe('keyward_redis_hit_ratio{family="a"}');
});
