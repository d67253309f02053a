import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import { digest } from '@/lib/keyring';
import { openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { MAX_KEYS } from '@/lib/role-keys/role-keys';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { pinMetric, unpinMetric } from './commands';
import { recordMetrics } from './history';
import { fieldIdOf, seriesIdOf } from './metric-keys';
import { listPinned } from './pinned';
import { countPins, writePin } from './pins';
import { listMetrics, readMetricSeries } from './reads';
import { MAX_PINS, metricContracts } from './schema';

vi.mock('@/lib/keyring', { spy: true });

const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;
const MIB = 2 ** 20;

/** Bytes that the application's server sent. */
const sentBy = async ({ redis }: TestContext): Promise<number> =>
  Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))![1]);

let test: TestContext;
const forgetAll = (): void => {
  forget('role keys', 'metric readings', 'recent metrics');
};
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  vi.useRealTimers();
  forgetAll();
  await test.empty();
});
afterAll(() => test.close());

type Role = 'admin' | 'viewer';
const asRole = (role: Role) => test.as({ actor: testActor(role) });

/** What the page of this role gets, without earlier readings. */
const list = async (raw: object = {}, role: Role = 'admin') => {
  forgetAll();
  const { result } = metricContracts.list;
  return result.parse(await listMetrics(asRole(role), parseInput(metricContracts.list, raw)));
};
const idOf = (key: string): string => Buffer.from(key).toString('base64url');

describe('metrics and statistics', () => {
  it('are listed with their values and TTLs, periods of a name side by side', async () => {
    await test.redis.mset({
      'metrics:visits:total': '1200',
      'metrics:visits:weekly': '7',
      'metrics:visits:2024-01': '4',
      'metrics:active:hourly': '-0.5',
      'metrics:cache_hits:shouts:daily': '1e3',
    });
    await test.redis.set('metrics:visits:hourly', '3', 'EX', 3600);
    await test.redis.hset('stats:topics:weekly', { total: 40, new: 2.5, top: 'rivers' });
    const { items, complete, nextCursor } = await list();
    expect([complete, nextCursor]).toEqual([true, null]);
    expect(items.map(({ name, period, value }) => [name, period, value])).toEqual([
      ['active', 'hourly', -0.5],
      ['cache_hits:shouts', 'daily', 1000],
      ['topics', 'weekly', null],
      ['visits', 'hourly', 3],
      ['visits', 'weekly', 7],
      ['visits', 'total', 1200],
      ['visits', '2024-01', 4],
    ]);
    expect(items[3]).toMatchObject({ key: 'metrics:visits:hourly', ttlSeconds: 3600, problem: null });
    expect(items[5]).toMatchObject({ keyId: idOf('metrics:visits:total'), ttlSeconds: null, fields: null });
    expect(new Set(items.filter(({ name }) => name === 'visits').map(({ group }) => group)).size).toBe(1);
    const [, , stats] = items;
    expect(stats).toMatchObject({ kind: 'stats', problem: null });
    expect(stats!.fields).toEqual([
      { fieldId: fieldIdOf(Buffer.from('new')), field: 'new', value: 2.5, text: null, problem: null },
      {
        fieldId: expect.any(String),
        field: 'top',
        value: null,
        text: 'rivers',
        problem: 'notANumber',
      },
      { fieldId: expect.any(String), field: 'total', value: 40, text: null, problem: null },
    ]);
  });

  it('beyond 2^53 have their digits beside the rounded value, for everybody', async () => {
    await test.redis.mset({ 'metrics:visits:total': '+9007199254740993', 'metrics:visits:weekly': '0.1' });
    await test.redis.hset('stats:topics:weekly', 'total', '-9007199254740993');
    for (const role of ['admin', 'viewer'] as const) {
      const { items } = await list({}, role);
      const figures = items.flatMap((item) =>
        (item.fields ?? [item]).map(({ value, text }) => [value, text]),
      );
      expect(figures).toEqual([
        [-(2 ** 53), '-9007199254740993'],
        [0.1, null],
        [2 ** 53, '9007199254740993'],
      ]);
    }
  });

  it('of one name are different where one is a metric and one are statistics', async () => {
    await test.redis.set('metrics:topics:weekly', '1');
    await test.redis.hset('stats:topics:weekly', 'total', 1);
    const { items } = await list();
    expect(items.map(({ kind }) => kind)).toEqual(['metric', 'stats']);
    expect(new Set(items.map(({ group }) => group)).size).toBe(2);
  });

  it('that are no numbers are shown as text, to those who may look at keys', async () => {
    await test.redis.mset({
      'metrics:a:daily': 'many',
      'metrics:b:daily': '',
      'metrics:c:daily': ' 1',
      'metrics:d:daily': '1e999',
      'metrics:e:daily': '<script>alert(1)</script>',
      'metrics:f:daily': JWT,
      'metrics:g:daily': '0x10',
    });
    const { items } = await list();
    expect(items.map(({ value, text, problem }) => [value, text, problem])).toEqual([
      [null, 'many', 'notANumber'],
      [null, '', 'notANumber'],
      [null, '\\x201', 'notANumber'],
      [null, '1e999', 'notANumber'],
      [null, '<script>alert(1)</script>', 'notANumber'],
      [null, '•••…', 'tooLong'],
      [null, '0x10', 'notANumber'],
    ]);
    const asViewer = await list({}, 'viewer');
    expect(asViewer.items.map(({ text }) => text)).toEqual(Array(7).fill(null));
    expect(asViewer.items[0]).toMatchObject({ value: null, problem: 'notANumber' });
  });

  it.skipIf(IS_REDIS_6)(
    'of 10 MB are not read: only their beginning leaves the server',
    { tags: ['long'] },
    async () => {
      await test.redis.set('metrics:big:daily', Buffer.alloc(10 * MIB, '7'));
      await test.redis.hset('stats:big:daily', { big: Buffer.alloc(10 * MIB, 'x'), small: 5 });
      const before = await sentBy(test);
      const { items } = await list();
      expect((await sentBy(test)) - before).toBeLessThan(MIB / 10);
      expect(items[0]).toMatchObject({
        value: null,
        problem: 'tooLong',
        text: expect.stringMatching(/^.{1,70}…$/),
      });
      expect(items[1]!.fields!.map(({ field, value, problem }) => [field, value, problem])).toEqual([
        ['big', null, 'tooLong'],
        ['small', 5, null],
      ]);
    },
  );

  it('of the wrong type are named so', async () => {
    await test.redis.rpush('metrics:list:daily', 'a');
    await test.redis.set('stats:text:daily', '5');
    const { items } = await list();
    expect(items.map(({ name, problem, value, fields }) => [name, problem, value, fields])).toEqual([
      ['list', 'wrongType', null, null],
      ['text', 'wrongType', null, null],
    ]);
  });

  it('with many fields show the first hundred, and none of more than a thousand', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${String(i).padStart(4, '0')}`, i]));
    await test.redis.hset('stats:many:daily', fields(101));
    await test.redis.hset('stats:tooMany:daily', fields(1001));
    const { items } = await list();
    expect(items[0]).toMatchObject({ problem: 'tooManyFields' });
    expect(items[0]!.fields!.map(({ value }) => value)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(items[1]).toMatchObject({ problem: 'tooManyFields', fields: null });
  });

  it('have names with anything in them, and secrets stay masked', async () => {
    await test.redis.mset({ 'metrics:a\nb:daily': '1', 'metrics:<script>x</script>:daily': '2' });
    await test.redis.set(`metrics:${JWT}:daily`, '3');
    await test.redis.hset('stats:auth:daily', {
      'a\nb': 4,
      password: '12345',
      [`x${JWT}`]: 1,
      token_count: 2,
    });
    const { items } = await list();
    // A control character is outside of the grammar: the catalog calls the key malformed.
    expect(items.map(({ name, value }) => [name, value])).toEqual([
      ['<script>x</script>', 2],
      ['auth', null],
      ['•••', 3],
    ]);
    expect(JSON.stringify(items)).not.toContain(JWT.slice(0, 30));
    expect(JSON.stringify(items)).not.toContain(idOf(JWT).slice(4, 30));
    expect(items[1]!.fields!.map(({ field, value, problem }) => [field, value, problem])).toEqual([
      ['a\\x0ab', 4, null],
      ['password', null, 'secret'],
      ['token_count', 2, null],
      ['x•••', 1, null],
    ]);
  });

  it('are found by a part of name or period, and are paged each once', { tags: 'long' }, async () => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 4990; i++) pipeline.set(`metrics:m${i}:daily`, i);
    for (let i = 0; i < 10; i++) pipeline.set(`metrics:Special${i}:hourly`, i);
    await pipeline.exec();
    // Only the first page looks for keys.
    await list({ limit: 1 });
    const page = (asked: object) => listMetrics(test.ctx, parseInput(metricContracts.list, asked));
    const found = await allPages(page, 700);
    expect(found).toHaveLength(5000);
    vi.mocked(digest).mockClear();
    await list({ limit: 1 });
    // Names and digests of the keys are known.
    expect(vi.mocked(digest).mock.calls.length).toBeLessThan(10);
    expect(new Set(found.map(({ keyId }) => keyId)).size).toBe(5000);
    const values = found.filter(({ period }) => period === 'daily').map(({ value }) => value!);
    expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 4990 }, (_, i) => i));
    expect((await list({ q: 'sPECIal' })).items).toHaveLength(10);
    expect((await list({ q: 'hourl' })).items).toHaveLength(10);
    expect((await list({ q: 'none' })).items).toEqual([]);
    await test.redis.set('metrics:one-more:daily', '1');
    expect(MAX_KEYS).toBe(5000);
    expect((await list({ limit: 1 })).complete).toBe(false);
  });

  it('are read once for all who ask at the same time', async () => {
    await test.redis.set('metrics:visits:daily', '1');
    await test.redis.hset('stats:topics:weekly', 'total', 40);
    await listMetrics(test.ctx, parseInput(metricContracts.list, {}));
    const reads = async () => {
      const stats = await test.redis.info('commandstats');
      const calls = [...stats.matchAll(/cmdstat_(?:getrange|hlen|evalsha_ro|strlen):calls=(\d+)/g)];
      return calls.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await reads();
    await Promise.all(
      Array.from({ length: 50 }, () => listMetrics(test.ctx, parseInput(metricContracts.list, {}))),
    );
    expect(await reads()).toBe(before);
  });
});

describe('samples', () => {
  const id = (key: string, field: string | null = null) =>
    seriesIdOf(Buffer.from(key), field === null ? null : fieldIdOf(Buffer.from(field)));
  const record = (at: number, v: Record<string, number>) =>
    recordMetrics(store(), test.handle.config.id, { at, v });

  it('are beside values and over time; a gap is a gap, and a metric that starts again is shown as it is', async () => {
    await test.redis.set('metrics:visits:daily', '2');
    await test.redis.hset('stats:topics:weekly', { total: 40, new: 1 });
    const [metric, field] = [id('metrics:visits:daily'), id('stats:topics:weekly', 'total')];
    // A step of ten seconds must not end during the test.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const now = Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;
    await record(now - 50 * SECOND, { [metric]: 90, [field]: 38 });
    await record(now - 40 * SECOND, { [metric]: 95 });
    await record(now - 20 * SECOND, { [metric]: 1, [field]: 39 });
    await record(now - 10 * SECOND, { [metric]: 2, [field]: 40 });
    const [stats, visits] = (await list({ withSeries: true })).items;
    expect(visits!.series!.slice(-6)).toEqual([null, 90, 95, null, 1, 2].slice(-6));
    expect(visits!.series).toHaveLength(60);
    const total = stats!.fields!.find((one) => one.field === 'total')!;
    expect(total.series!.slice(-5)).toEqual([38, null, null, 39, 40]);
    const span = { from: iso(now - MINUTE), to: iso(now), stepSeconds: 10 };
    const series = async (input: object) =>
      readMetricSeries(test.ctx, parseInput(metricContracts.series, { ...input, ...span }));
    const { points, stepSeconds } = await series({ keyId: idOf('metrics:visits:daily') });
    expect(stepSeconds).toBe(10);
    expect(points.map(({ at, value }) => [(Date.parse(at) - now) / SECOND, value])).toEqual([
      [-50, 90],
      [-40, 95],
      [-20, 1],
      [-10, 2],
    ]);
    const { fieldId } = total;
    const ofField = await series({ keyId: idOf('stats:topics:weekly'), fieldId });
    expect(ofField.points.map(({ value }) => value)).toEqual([38, 39, 40]);
  });

  it('of secrets are not shown, even where an earlier version took them', async () => {
    await test.redis.hset('stats:auth:daily', { password: 12345, logins: 3 });
    const at = Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND - 10 * SECOND;
    const [secret, open] = [id('stats:auth:daily', 'password'), id('stats:auth:daily', 'logins')];
    await record(at, { [secret]: 12345, [open]: 3 });
    expect(JSON.stringify(await list({ withSeries: true }))).not.toContain('12345');
    const points = async (field: string) => {
      const raw = { keyId: idOf('stats:auth:daily'), fieldId: fieldIdOf(Buffer.from(field)) };
      const span = { from: iso(at - MINUTE), to: iso(at + MINUTE) };
      const input = parseInput(metricContracts.series, { ...raw, ...span });
      return (await readMetricSeries(test.ctx, input)).points.map(({ value }) => value);
    };
    expect([await points('password'), await points('logins')]).toEqual([[], [3]]);
    for (const field of ['password', 'logins'])
      await run(pinMetric, { keyId: idOf('stats:auth:daily'), fieldId: fieldIdOf(Buffer.from(field)) });
    const shown = await pinned();
    expect(shown.map(({ problem, series }) => [problem, series.some((value) => value !== null)])).toEqual([
      ['secret', false],
      [null, true],
    ]);
  });

  it('are of what the input names', async () => {
    const span = { from: iso(0), to: iso(MINUTE) };
    const ask = (raw: object) =>
      problemOf(readMetricSeries(test.ctx, parseInput(metricContracts.series, { ...raw, ...span })));
    const refusals = await Promise.all([
      ask({ keyId: idOf('topic:id:1') }),
      ask({ keyId: idOf('stats:topics:weekly') }),
      ask({ keyId: idOf('metrics:visits:daily'), fieldId: 'x' }),
      ask({ keyId: '%%%' }),
    ]);
    expect(refusals.map(({ status, code }) => [status, code])).toEqual(Array(4).fill([400, 'bad_input']));
  });
});

const run = (
  command: typeof pinMetric | typeof unpinMetric,
  raw: object,
  actor: Actor = testActor('viewer'),
  connection = test.handle,
) => runCommand(command as typeof pinMetric, { actor, requestId: randomUUID(), connection, raw });

const pinned = async (actor: Actor = testActor('viewer')) => {
  forget('metric readings', 'recent metrics');
  const { result } = metricContracts.pinned;
  const input = parseInput(metricContracts.pinned, {});
  return result.parse(await listPinned(test.as({ actor }), input)).items;
};

describe('pins', () => {
  it('are of each user, show the value of now, and say when their metric is gone', async () => {
    await test.redis.set('metrics:visits:daily', '7', 'EX', 600);
    await test.redis.hset('stats:topics:weekly', { total: 40 });
    const { id } = await run(pinMetric, { keyId: idOf('metrics:visits:daily') });
    const fieldId = fieldIdOf(Buffer.from('total'));
    await run(pinMetric, { keyId: idOf('stats:topics:weekly'), fieldId });
    expect(await pinned()).toMatchObject([
      { id, name: 'visits', period: 'daily', kind: 'metric', field: null, value: 7, ttlSeconds: 600 },
      {
        name: 'topics',
        period: 'weekly',
        kind: 'stats',
        field: 'total',
        fieldId,
        value: 40,
        ttlSeconds: null,
      },
    ]);
    expect(await pinned(testActor('admin'))).toEqual([]);
    expect(await countPins(test.handle.config.id, 'user-viewer')).toBe(2);
    await test.redis.set('metrics:visits:daily', 'x');
    await test.redis.hdel('stats:topics:weekly', 'total');
    expect((await pinned()).map(({ value, text, problem }) => [value, text, problem])).toEqual([
      [null, null, 'notANumber'],
      [null, null, 'gone'],
    ]);
    await test.redis.del('metrics:visits:daily');
    expect((await pinned())[0]).toMatchObject({ value: null, problem: 'gone', ttlSeconds: null });
  });

  it('have the samples of the last ten minutes', async () => {
    await test.redis.set('metrics:visits:daily', '7');
    const { id } = await run(pinMetric, { keyId: idOf('metrics:visits:daily') });
    await recordMetrics(store(), test.handle.config.id, { at: Date.now() - 30 * SECOND, v: { [id]: 6 } });
    const [pin] = await pinned();
    expect(pin!.series.filter((value) => value !== null)).toEqual([6]);
  });

  it('are audited, pinned once, and taken off again, also where Redis is read-only', async () => {
    await test.redis.set('metrics:visits:daily', '7');
    const readOnly = openConnection({ ...test.handle.config, readOnly: true });
    const raw = { keyId: idOf('metrics:visits:daily') };
    const { id } = await run(pinMetric, raw, testActor('viewer'), readOnly);
    expect((await run(pinMetric, raw)).id).toBe(id);
    expect(await pinned()).toHaveLength(1);
    const last = async () => (await listEntries(store(), { limit: 1 })).items[0];
    expect(await last()).toMatchObject({
      action: 'metrics.pin',
      target: 'metrics:visits:daily',
      outcome: 'succeeded',
      after: { pinned: 'metrics:visits:daily' },
    });
    await run(unpinMetric, { id }, testActor('viewer'), readOnly);
    expect(await last()).toMatchObject({ action: 'metrics.unpin', target: 'metrics:visits:daily' });
    expect(await pinned()).toEqual([]);
    expect((await problemOf(run(unpinMetric, { id }))).status).toBe(404);
    readOnly.topology.close();
  });

  it('are at most twelve, and of metrics only', async () => {
    const raw = (i: number) => ({ keyId: idOf(`metrics:m${i}:daily`) });
    const all = await Promise.allSettled(Array.from({ length: MAX_PINS }, (_, i) => run(pinMetric, raw(i))));
    expect(all.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect((await problemOf(run(pinMetric, raw(99)))).status).toBe(409);
    expect((await run(pinMetric, raw(0))).id).toBeTruthy();
    expect(await pinned()).toHaveLength(MAX_PINS);
    expect(await pinned(testActor('admin'))).toEqual([]);
    const refused = [
      run(pinMetric, { keyId: idOf('topic:id:1') }, testActor('admin')),
      run(pinMetric, { keyId: idOf('stats:topics:weekly') }, testActor('admin')),
      run(pinMetric, { keyId: idOf('stats:topics:weekly'), fieldId: 'none' }, testActor('admin')),
    ];
    const statuses = await Promise.all(refused.map(async (one) => (await problemOf(one)).status));
    expect(statuses).toEqual([400, 400, 404]);
  });

  it('that cannot be opened any more are gone, and can be taken off', async () => {
    await test.redis.set('metrics:visits:daily', '7');
    const [unknown, sealed] = ['topic:id:1', 's.AAAA'].map((key, i) => ({
      id: `pin${i}`,
      keyId: i === 0 ? idOf(key) : key,
      fieldId: null,
      field: null,
      at: i,
    }));
    for (const pin of [unknown!, sealed!]) await writePin(store(), test.handle.config.id, 'user-viewer', pin);
    await run(pinMetric, { keyId: idOf('metrics:visits:daily') });
    expect((await pinned()).map(({ name, value, problem }) => [name, value, problem])).toEqual([
      ['topic:id:1', null, 'gone'],
      ['•••', null, 'gone'],
      ['visits', 7, null],
    ]);
    for (const { id } of [unknown!, sealed!]) await run(unpinMetric, { id });
    expect(await countPins(test.handle.config.id, 'user-viewer')).toBe(1);
  });

  it('keep secrets out of the store and the audit log', async () => {
    await test.redis.set(`metrics:${JWT}:daily`, '3');
    const { items } = await list();
    await run(pinMetric, { keyId: items[0]!.keyId });
    expect(await pinned()).toMatchObject([{ name: '•••', value: 3 }]);
    const stored = await test.storeRedis.hgetall(`keyward:metric-pins:${test.handle.config.id}:user-viewer`);
    const logged = JSON.stringify(await listEntries(store(), { limit: 10 }));
    for (const text of [JSON.stringify(stored), logged]) {
      expect(text).not.toContain(JWT.slice(0, 30));
      expect(text).not.toContain(idOf(`metrics:${JWT}`).slice(0, 40));
    }
    // A token acts for its user, and without one for itself.
    const token: Actor = { kind: 'token', id: 't', name: 'CI', role: 'viewer', owner: 'user-viewer' };
    expect(await pinned(token)).toHaveLength(1);
    const ofNobody = { ...token, owner: 'environment:x' };
    expect(await pinned(ofNobody)).toEqual([]);
    await run(pinMetric, { keyId: idOf('metrics:own:daily') }, ofNobody);
    expect(await pinned(ofNobody)).toMatchObject([{ name: 'own', problem: 'gone' }]);
    expect(await pinned(token)).toHaveLength(1);
  });
});
