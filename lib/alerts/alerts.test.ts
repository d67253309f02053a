import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { instanceFigures } from '@/lib/figures/instance';
import { registerFigures } from '@/lib/figures/registry';
import { MINUTE, SECOND } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { alertsOn } from '@/scripts/testing/alerts';
import { testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { firingAlerts } from './attention';
import { createAlert, deleteAlert, updateAlert } from './commands';

import { MAX_EVENTS } from './event';
import { listAlerts } from './reads';
import { seriesIdOf } from './select';
import { silenceAlert, unsilenceAlert } from './silence-commands';

const test = await testContext({ apps: ['discours', 'hawk'] });
const alerts = alertsOn(test);
afterAll(() => {
  alerts.end();
  return test.close();
});
beforeEach(async () => {
  await test.empty();
  alerts.set(null);
});

const T = Date.now();
const at = (seconds: number) => T + seconds * SECOND;
/** As if no process had evaluated for a while. */
const stopEvaluating = () => test.storeRedis.del(`keyward:alert-evaluation:${test.handle.config.id}`);
const stateAt = async (seconds: number) => (await alerts.list(at(seconds))).items[0]!;

describe('a threshold', () => {
  it('fires after it held long enough, and resolves at its clear limit for long enough', async () => {
    await alerts.create({ value: 10, forSeconds: 10, clear: 5, clearForSeconds: 10 });
    await alerts.at(at(0), 11);
    expect((await stateAt(0)).state).toBe('pending');
    await alerts.at(at(5), 10);
    expect((await stateAt(5)).state).toBe('ok');
    await alerts.at(at(10), 11);
    await alerts.at(at(15), 12);
    expect(await alerts.history()).toEqual([]);
    await alerts.at(at(20), 13);
    expect(await stateAt(20)).toMatchObject({
      state: 'firing',
      value: 10,
      current: 13,
      since: new Date(at(20)).toISOString(),
    });
    // Below the limit, and not yet at the clear limit.
    await alerts.at(at(25), 6);
    await alerts.at(at(40), 5);
    await alerts.at(at(45), 6);
    await alerts.at(at(50), 4);
    await alerts.at(at(55), 4);
    expect((await stateAt(55)).state).toBe('firing');
    await alerts.at(at(60), 3);
    expect((await stateAt(60)).state).toBe('ok');
    expect(await alerts.history()).toMatchObject([
      { value: 13, resolvedValue: 3, endedBy: 'value', resolvedAt: new Date(at(60)).toISOString() },
    ]);
  });

  it('fires below', async () => {
    await alerts.create({ condition: 'below', value: 5, clear: 8 });
    await alerts.at(at(0), 5);
    expect((await stateAt(0)).state).toBe('ok');
    await alerts.at(at(5), 4);
    await alerts.at(at(10), 7);
    expect((await stateAt(10)).state).toBe('firing');
    await alerts.at(at(15), 8);
    expect((await stateAt(15)).state).toBe('ok');
  });

  it('watches every value of a label that it does not name by itself', async () => {
    const metric = 'keyward_test_of_family';
    await alerts.create({ source: { metric } });
    const family = (name: string, value: number) => ({ name: metric, labels: { family: name }, value });
    alerts.setAll([family('a', 11), family('b', 3), family('c', 20)]);
    await alerts.evaluate(at(0));
    alerts.setAll([family('a', 1), family('b', 3), family('c', 20)]);
    await alerts.evaluate(at(5));
    const [rule] = (await alerts.list(at(5))).items;
    expect(rule).toMatchObject({ state: 'firing', seriesCount: 3, current: 20 });
    expect(rule!.series.map(({ labels }) => labels)).toEqual([{ family: 'c' }]);
    const history = await alerts.history();
    expect(history.map(({ labels, endedBy }) => [labels?.family, endedBy]).sort()).toEqual([
      ['a', 'value'],
      ['c', null],
    ]);
  });

  it('bounds the series of a rule, and says how many it left out', async () => {
    const metric = 'keyward_test_of_family';
    await alerts.create({ source: { metric } });
    alerts.setAll(
      Array.from({ length: 130 }, (_, i) => ({ name: metric, labels: { family: `${i}` }, value: 11 })),
    );
    await alerts.evaluate(at(0));
    await alerts.evaluate(at(5));
    expect((await alerts.list(at(5))).items[0]).toMatchObject({ seriesSkipped: 30, seriesCount: 130 });
    expect(await test.storeRedis.zcard(`keyward:alert-history:${test.handle.config.id}`)).toBe(100);
  });
});

describe('a change', () => {
  it('compares with the value of the window’s length ago, in the direction of the limit', {
    tags: ['long'],
  }, async () => {
    await alerts.create({
      condition: 'change',
      value: -20,
      changeIn: 'percent',
      windowSeconds: 60,
      clear: -10,
    });
    for (let t = 0; t < 60; t += 5) await alerts.at(at(t), 100);
    expect((await stateAt(55)).current).toBeNull();
    await alerts.at(at(60), 85);
    expect(await stateAt(60)).toMatchObject({ state: 'ok', current: -15, unit: 'percent' });
    await alerts.at(at(65), 79);
    expect((await stateAt(65)).state).toBe('firing');
    for (let t = 70; t < 120; t += 5) await alerts.at(at(t), 79);
    expect((await stateAt(115)).state).toBe('firing');
    // A minute ago it was 85 already.
    await alerts.at(at(120), 79);
    expect((await stateAt(120)).state).toBe('ok');
  });

  const rising = { condition: 'change', value: 20, windowSeconds: 60 } as const;

  it('is known again at once after a value that is missing once', async () => {
    await alerts.create(rising);
    for (let t = 0; t <= 60; t += 5) await alerts.at(at(t), t === 55 ? null : 100);
    await alerts.at(at(65), 121);
    expect(await stateAt(65)).toMatchObject({ state: 'firing', current: 21 });
  });

  it('is not known from a value much older than the window', async () => {
    await alerts.create(rising);
    for (let t = 0; t <= 60; t += 5) await alerts.at(at(t), 100);
    for (const t of [300, 305]) await alerts.at(at(t), 200);
    expect(await stateAt(305)).toMatchObject({ state: 'ok', current: null });
    for (let t = 310; t <= 360; t += 5) await alerts.at(at(t), 200);
    expect(await stateAt(360)).toMatchObject({ state: 'ok', current: 0 });
  });

  it('that fires ends without a value to compare with for ten minutes', async () => {
    await alerts.create({ ...rising, windowSeconds: 3600 });
    await alerts.at(at(-3600), 100);
    await alerts.at(at(0), 200);
    expect((await stateAt(0)).state).toBe('firing');
    for (const t of [900, 1495]) await alerts.at(at(t), 200);
    expect((await stateAt(1495)).state).toBe('firing');
    await alerts.at(at(1500), 200);
    expect(await alerts.history()).toMatchObject([{ endedBy: 'notComparable', resolvedValue: null }]);
  });
});

describe('missing values', () => {
  it('keep a firing alert firing, and a pending one pending for half a minute', async () => {
    await alerts.create({ forSeconds: 20 });
    await alerts.at(at(-60), 11);
    for (const t of [-55, -40, -20]) await alerts.at(at(t), null);
    await alerts.at(at(-15), 11);
    expect((await stateAt(-15)).state).toBe('pending');
    await alerts.at(at(0), 1);
    await alerts.at(at(5), 11);
    await alerts.at(at(10), null);
    await alerts.at(at(20), 11);
    expect((await stateAt(20)).state).toBe('pending');
    await alerts.at(at(25), 11);
    expect((await stateAt(25)).state).toBe('firing');
    await alerts.at(at(25), null);
    const [series] = (await stateAt(25)).series;
    expect(series).toMatchObject({
      state: 'firing',
      value: null,
      noDataSince: new Date(at(25)).toISOString(),
    });
    await alerts.at(at(900), null);
    expect((await alerts.history())[0]!.resolvedAt).toBeNull();
    await alerts.at(at(905), 1);
    expect((await alerts.history())[0]).toMatchObject({ endedBy: 'value', resolvedValue: 1 });
  });

  it('fire where the rule says so', async () => {
    await alerts.create({ onNoData: 'alert', forSeconds: 10 });
    await alerts.at(at(0), null);
    expect((await stateAt(0)).state).toBe('noData');
    await alerts.at(at(55), null);
    expect((await stateAt(55)).state).toBe('noData');
    await alerts.at(at(60), null);
    expect((await stateAt(60)).state).toBe('firing');
    await alerts.at(at(65), 1);
    expect(await alerts.history()).toMatchObject([{ value: null, endedBy: 'value' }]);
  });

  it('while nobody evaluated do not count', async () => {
    await alerts.create({ onNoData: 'alert', forSeconds: 60 });
    await alerts.at(at(0), null);
    await stopEvaluating();
    await alerts.at(at(300), null);
    await alerts.at(at(305), null);
    expect(await alerts.history()).toEqual([]);
    await alerts.at(at(360), null);
    expect(await alerts.history()).toHaveLength(1);
  });

  const metric = 'keyward_test_of_family';
  const family = (name: string, value: number) => ({ name: metric, labels: { family: name }, value });
  const evaluateAll = async (seconds: number, all: ReturnType<typeof family>[]) => {
    alerts.setAll(all);
    await alerts.evaluate(at(seconds));
  };

  it.each([[{}], [{ family: 'gone' }]])(
    'of one series of %j end its alert after ten minutes, if others have values',
    async (labels) => {
      await alerts.create({ source: { metric, labels } });
      await evaluateAll(0, [family('gone', 11), family('kept', 1)]);
      await evaluateAll(5, [family('kept', 1)]);
      await evaluateAll(600, [family('kept', 1)]);
      expect(await alerts.history()).toMatchObject([{ endedBy: null }]);
      await evaluateAll(605, [family('kept', 1)]);
      expect(await alerts.history()).toMatchObject([{ endedBy: 'noData', resolvedValue: null }]);
      expect((await stateAt(605)).series.filter(({ state }) => state === 'firing')).toEqual([]);
    },
  );

  it('count within the limit of the series of a rule', async () => {
    await alerts.create({ source: { metric } });
    const some = (prefix: string) => Array.from({ length: 80 }, (_, i) => family(`${prefix}${i}`, 11));
    await evaluateAll(0, some('a'));
    await evaluateAll(5, some('b'));
    expect(await test.storeRedis.zcard(`keyward:alert-history:${test.handle.config.id}`)).toBe(100);
    expect(await stateAt(5)).toMatchObject({ seriesSkipped: 60 });
  });
});

describe('an evaluator that ends', () => {
  it('neither fires again nor forgets what fires', async () => {
    await alerts.create();
    await alerts.at(at(0), 11);
    // Nothing is kept in the process: the next evaluation could be that of another one.
    await alerts.at(at(5), 11);
    await alerts.at(at(600), 11);
    expect(await alerts.history()).toHaveLength(1);
    await alerts.at(at(605), 1);
    expect(await alerts.history()).toMatchObject([{ endedBy: 'value' }]);
  });

  it('leaves a gap, after which what was pending begins again', async () => {
    await alerts.create({ forSeconds: 60 });
    await alerts.at(at(0), 11);
    await stopEvaluating();
    await alerts.at(at(100), 11);
    expect((await stateAt(100)).state).toBe('pending');
    await alerts.at(at(160), 11);
    expect((await stateAt(160)).state).toBe('firing');
  });

  it('and another one at the same moment fire one alert', async () => {
    await alerts.create();
    alerts.set(11);
    await Promise.all(Array.from({ length: 8 }, () => alerts.evaluate(at(0))));
    expect(await alerts.history()).toHaveLength(1);
  });
});

describe('a rule that changes while it fires', () => {
  const update = async (change: object, now: number) => {
    const [rule] = (await alerts.list(now)).items;
    const { id, etag } = rule!;
    const base = { name: 'Load', source: { metric: 'keyward_test_load' }, condition: 'above', value: 10 };
    await alerts.run(updateAlert, { ...base, id, etag, ...change });
  };

  it('goes on with a new limit, and ends what it no longer watches', async () => {
    await alerts.create();
    await alerts.at(at(0), 11);
    await update({ value: 9 }, at(1));
    await alerts.at(at(5), 11);
    expect(await alerts.history()).toHaveLength(1);
    await update({ source: { metric: 'keyward_test_of_family' } }, at(6));
    await alerts.at(at(10), 11);
    expect(await alerts.history()).toMatchObject([{ endedBy: 'ruleChanged', resolvedValue: null }]);
  });

  it('ends what fires without data when it no longer does so', async () => {
    await alerts.create({ onNoData: 'alert' });
    await alerts.at(at(0), null);
    await alerts.at(at(60), null);
    expect((await stateAt(60)).state).toBe('firing');
    await update({ onNoData: 'keep' }, at(61));
    await alerts.at(at(65), null);
    expect(await alerts.history()).toMatchObject([{ value: null, endedBy: 'ruleChanged' }]);
  });

  it('ends when it is deleted, and is restored by undo', async () => {
    await alerts.create();
    await alerts.at(at(0), 11);
    const { id, etag } = (await alerts.list(at(0))).items[0]!;
    registerUndoable([deleteAlert as never]);
    const { auditId } = await alerts.run(deleteAlert, { id, etag });
    await alerts.at(at(5), 11);
    expect(await alerts.history()).toMatchObject([{ endedBy: 'ruleDeleted' }]);
    expect(await test.storeRedis.hlen(`keyward:alert-states:${test.handle.config.id}`)).toBe(0);
    const undone = await runCommand(undoChange, {
      actor: testActor('admin'),
      requestId: 'test',
      connection: null,
      raw: { auditId },
    });
    expect(undone).toMatchObject({ undone: 1 });
    expect((await alerts.list(at(5))).items).toMatchObject([{ id, name: 'Load' }]);
  });

  it('is restored with its silences, and so is not delivered', async () => {
    const id = await alerts.create();
    const until = new Date(Date.now() + MINUTE).toISOString();
    await alerts.run(silenceAlert, { id, until, reason: 'planned work' });
    const { etag } = (await alerts.list(at(0))).items[0]!;
    registerUndoable([deleteAlert as never]);
    const { auditId } = await alerts.run(deleteAlert, { id, etag });
    await runCommand(undoChange, {
      actor: testActor('admin'),
      requestId: 'test',
      connection: null,
      raw: { auditId },
    });
    await alerts.at(at(5), 11);
    expect(await alerts.history()).toMatchObject([{ silenced: true, deliveries: [] }]);
  });

  it('is deleted also where its silences cannot be', async () => {
    const id = await alerts.create();
    const { etag } = (await alerts.list(at(0))).items[0]!;
    const silences = `keyward:alert-silences:${test.handle.config.id}`;
    await test.storeRedis.set(silences, 'not a hash');
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await alerts.run(deleteAlert, { id, etag });
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('deleting the silences'));
    logged.mockRestore();
    await test.storeRedis.del(silences);
    expect((await alerts.list(at(0))).items).toEqual([]);
  });

  it('takes its silences along when its creation is undone', async () => {
    registerUndoable([createAlert as never]);
    const input = { name: 'x', source: { metric: 'keyward_test_load' }, condition: 'above', value: 1 };
    const { id, auditId } = await alerts.run(createAlert, input);
    const until = new Date(Date.now() + MINUTE).toISOString();
    await alerts.run(silenceAlert, { id, until, reason: 'planned work' });
    const undone = await runCommand(undoChange, {
      actor: testActor('admin'),
      requestId: 'test',
      connection: null,
      raw: { auditId },
    });
    expect(undone).toMatchObject({ undone: 1 });
    expect(await test.storeRedis.exists(`keyward:alert-silences:${test.handle.config.id}`)).toBe(0);
  });

  it('and its undo need no Redis that takes changes', async () => {
    Object.assign(test.handle.config, { readOnly: true });
    try {
      await alerts.create();
      const { id, etag } = (await alerts.list(at(0))).items[0]!;
      registerUndoable([deleteAlert as never]);
      const { auditId } = await alerts.run(deleteAlert, { id, etag });
      const undone = await runCommand(undoChange, {
        actor: testActor('admin'),
        requestId: 'test',
        connection: null,
        raw: { auditId },
      });
      expect(undone).toMatchObject({ undone: 1 });
    } finally {
      Object.assign(test.handle.config, { readOnly: false });
    }
  });

  it('is not overwritten by who read it before', async () => {
    const id = await alerts.create();
    const base = { name: 'Mine', source: { metric: 'keyward_test_load' }, condition: 'above', value: 1, id };
    const { etag } = (await alerts.list(at(0))).items[0]!;
    await alerts.run(updateAlert, { ...base, etag });
    const refused = await problemOf(alerts.run(updateAlert, { ...base, name: 'Theirs', etag }));
    expect(refused.code).toBe('changed');
    expect(refused.extensions.etag).toBe((await alerts.list(at(0))).items[0]!.etag);
  });
});

it('is found by what people call its metric, and by the name of Prometheus', async () => {
  registerFigures([instanceFigures]);
  await alerts.create({ name: 'Low', source: { metric: 'keyward_redis_hit_ratio' }, value: 1 });
  await alerts.create();
  const found = async (q: string) =>
    (await listAlerts(test.ctx, { q, limit: 50 })).items.map(({ name }) => name);
  expect([await found('hit rate'), await found('hit_ratio'), await found('load')]).toEqual([
    ['Low'],
    ['Low'],
    ['Load'],
  ]);
});

describe('a silence', () => {
  it('holds back attention and says so, and ends', async () => {
    const id = await alerts.create();
    await alerts.at(at(0), 11);
    const ctx = test.as({ now: () => at(0) });
    expect((await firingAlerts(ctx)).rows).toMatchObject([
      { text: 'Alert: Load', detail: 'keyward_test_load: 11' },
    ]);
    const until = new Date(Date.now() + MINUTE).toISOString();
    await alerts.run(silenceAlert, { id, until, reason: 'planned work' });
    expect(await firingAlerts(ctx)).toEqual({ count: 0, rows: [] });
    expect((await stateAt(0)).silences).toMatchObject([{ reason: 'planned work', by: 'Test admin', until }]);
    await alerts.run(unsilenceAlert, { id });
    expect(await firingAlerts(ctx)).toMatchObject({ count: 1 });
  });

  it('of one series leaves the others', async () => {
    const metric = 'keyward_test_of_family';
    const id = await alerts.create({ source: { metric } });
    alerts.setAll(['a', 'b'].map((family) => ({ name: metric, labels: { family }, value: 11 })));
    await alerts.evaluate(at(0));
    const [first] = (await stateAt(0)).series;
    await alerts.run(silenceAlert, {
      id,
      series: first!.id,
      until: new Date(T + MINUTE).toISOString(),
      reason: 'x',
    });
    const rule = await stateAt(0);
    expect(rule.series.map(({ silenced }) => silenced)).toEqual([true, false]);
    expect(rule.silences).toMatchObject([{ series: first!.id, labels: { family: 'a' } }]);
    const { rows } = await firingAlerts(test.as({ now: () => at(0) }));
    expect(rows).toMatchObject([{ text: 'Alert: Load' }]);
  });

  it('needs a reason and a time ahead', async () => {
    const id = await alerts.create();
    const soon = new Date(Date.now() + MINUTE).toISOString();
    expect((await problemOf(alerts.run(silenceAlert, { id, until: soon }))).message).toContain('reason');
    const past = alerts.run(silenceAlert, { id, until: new Date(T - MINUTE).toISOString(), reason: 'x' });
    expect((await problemOf(past)).message).toContain('past');
  });
});

describe('who may not see a figure', () => {
  it('sees the rule, and neither values nor labels', async () => {
    const metric = 'keyward_guard_test';
    await alerts.create({ name: 'Noisy address', source: { metric, labels: { ip: '192.0.2.7' } } });
    alerts.setAll([{ name: metric, labels: { ip: '192.0.2.7' }, value: 4711 }]);
    await alerts.evaluate(at(0));
    const seen = [await alerts.list(at(0), 'viewer'), await alerts.history('viewer')];
    expect(JSON.stringify(seen)).toContain('Noisy address');
    expect(JSON.stringify(seen)).not.toMatch(/4711|192\.0\.2\.7/);
    expect(JSON.stringify(seen)).not.toContain(seriesIdOf({ ip: '192.0.2.7' }));
    const { rows: attention } = await firingAlerts(test.as({ actor: testActor('viewer'), now: () => at(0) }));
    expect(attention).toMatchObject([{ text: 'Alert: Noisy address', detail: null }]);
    expect(JSON.stringify(await alerts.list(at(0), 'support'))).toContain('4711');
  });

  it('gets no link to its page, and no labels of its silences', async () => {
    const labels = { ip: '192.0.2.7' };
    const id = await alerts.create({ source: { metric: 'keyward_guard_test', labels } });
    alerts.setAll([{ name: 'keyward_guard_test', labels, value: 4711 }]);
    await alerts.evaluate(at(0));
    const until = new Date(T + MINUTE).toISOString();
    await alerts.run(silenceAlert, { id, series: seriesIdOf(labels), until, reason: 'x' });
    const ruleFor = async (role: 'viewer' | 'support') => (await alerts.list(at(0), role)).items[0]!;
    const href = `/${test.handle.config.id}/guard`;
    expect(await ruleFor('viewer')).toMatchObject({ href: null, silences: [{ labels: null }] });
    expect(await ruleFor('support')).toMatchObject({ href, silences: [{ labels }] });
    expect(await alerts.history('viewer')).toMatchObject([{ href: null }]);
    expect(await alerts.history('support')).toMatchObject([{ href }]);
  });
});

it.each([
  [{ clear: 11 }, 'clear'],
  [{ condition: 'below' as const, clear: 9 }, 'clear'],
  [{ source: { metric: 'keyward_nothing' } }, 'source.metric'],
  [{ source: { metric: 'keyward_test_load', labels: { family: 'x' } } }, 'source.labels'],
  [{ condition: 'change' as const, value: 0 }, 'value'],
  [{ condition: 'change' as const, windowSeconds: 5 }, 'windowSeconds'],
  [{ source: { metric: 'keyward_test_share' }, value: 80 }, 'value'],
  [{ source: { metric: 'keyward_test_share' }, value: -0.1 }, 'value'],
  [{ source: { metric: 'keyward_test_share' }, value: 0.8, clear: -1 }, 'clear'],
  [{ source: { metric: 'keyward_test_share' }, condition: 'change' as const, value: -5 }, 'value'],
  [{ channels: ['nowhere'] }, 'channels'],
  [{ name: 'two\nlines' }, 'name'],
])('refuses %j', async (change, path) => {
  const problem = await problemOf(alerts.create(change));
  expect(problem.extensions.errors).toMatchObject([{ path }]);
});

it('is for admins, and at most 200 rules', async () => {
  const input = { name: 'x', source: { metric: 'keyward_test_load' }, condition: 'above', value: 1 };
  for (const role of ['support', 'product', 'viewer'] as const)
    expect((await problemOf(alerts.run(createAlert, input, role))).status).toBe(403);
  const rule = JSON.stringify({});
  await test.storeRedis.hset(
    `keyward:alert-rules:${test.handle.config.id}`,
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}`, rule])),
  );
  expect((await problemOf(alerts.create())).code).toBe('conflict');
});

it('keeps the newest 5000 alerts, and those that still fire', async () => {
  const { id: connection } = test.handle.config;
  await alerts.create();
  await alerts.at(at(0), 11);
  const [open] = await alerts.history();
  const text = (await test.storeRedis.hget(`keyward:alert-events:${connection}`, open!.id))!;
  const pipeline = test.storeRedis.pipeline();
  for (let i = 1; i <= MAX_EVENTS; i++) {
    const event = { ...JSON.parse(text), id: `old-${i}`, firedAt: at(i), resolvedAt: at(i) };
    pipeline.hset(`keyward:alert-events:${connection}`, event.id, JSON.stringify(event));
    pipeline.zadd(`keyward:alert-history:${connection}`, at(i), event.id);
  }
  await pipeline.exec();
  await alerts.create({ name: 'Another', value: 1 });
  await alerts.at(at(6000), 11);
  const history = `keyward:alert-history:${connection}`;
  expect(await test.storeRedis.zcard(history)).toBe(MAX_EVENTS + 1);
  expect(await test.storeRedis.zscore(history, open!.id)).not.toBeNull();
  expect(await test.storeRedis.zscore(history, 'old-1')).toBeNull();
});
