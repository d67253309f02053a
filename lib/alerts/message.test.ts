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

const BELOW = { condition: 'below', value: 0.5, windowSeconds: 600, forSeconds: 600 } as const;
const FALL = { ...BELOW, condition: 'change', value: -20, forSeconds: 0 } as const;

it.each([
  ['ru', 'firing', {}, 'Доля попаданий: 43,1 %, ниже 50,0 % в течение 10 мин.'],
  ['zh', 'firing', {}, '命中率：43.1%，低于 50.0%，持续 10 分钟。'],
  ['ru', 'firing', { value: null }, 'Доля попаданий: нет данных.'],
  ['zh', 'firing', ofFamily, '键族命中率（family="discours.shouts"）：43.1%，低于 50.0%，持续 10 分钟。'],
  ['ru', 'resolved', { resolvedValue: 0.6 }, 'Доля попаданий: 60,0 %; лимит: ниже 50,0 % в течение 10 мин.'],
  ['zh', 'resolved', { resolvedValue: 0.6 }, '命中率：60.0%；阈值：低于 50.0%，持续 10 分钟。'],
  ['ru', 'resolved', {}, 'Доля попаданий: данные снова есть.'],
  ['ru', 'resolved', { endedBy: 'ruleDeleted' }, 'Правило удалено.'],
  ['zh', 'resolved', { endedBy: 'notComparable' }, '十分钟无法比较。'],
  [
    'ru',
    'firing',
    { terms: FALL, unit: 'percent', value: -31.25 },
    'Доля попаданий: -31,3%, падение больше чем на 20% за 10 мин.',
  ],
] as const)('is in the language of the channel: %s, %s %j', (language, which, change, text) => {
  const given = event({ terms: BELOW, ...change });
  const sent = messageOf('main', given, { id: 'd', event: which }, language);
  // Numbers have spaces that do not break.
  expect(sent.text.replace(/\s/g, ' ')).toBe(text);
  const { text: _, ...facts } = messageOf('main', given, { id: 'd', event: which });
  expect(sent).toMatchObject(facts);
});

it('has the limit in English where an older version stored the alert', () => {
  const sent = messageOf('main', event({}), { id: 'd', event: 'firing' }, 'ru');
  expect(sent.text.replace(/\s/g, ' ')).toBe('Доля попаданий: 43,1 %, below 50.0% for 10 min.');
});
