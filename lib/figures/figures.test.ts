import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { publishLive } from '@/lib/history/points';
import { SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import type { FigureSource } from './figure';
import { instanceFigures } from './instance';
import { figureDefinitions, readFigures, registerFigures } from './registry';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerFigures([instanceFigures]);
});
beforeEach(async () => {
  forget('figures');
  await test.empty();
});
afterAll(() => test.close());

const bucketAt = (at: number, commands: number) => ({
  at,
  observedMs: SECOND,
  hits: 30,
  misses: 10,
  commands,
  evicted: 0,
  expired: 0,
  netInBytes: 10,
  netOutBytes: 20,
  usedMemoryBytes: 1000,
  connectedClients: 5,
  latencyMs: 2,
});
const figures = {
  maxMemoryBytes: 4000,
  keys: 7,
  keysWithTtl: 2,
  evictedKeys: 0,
  product: 'redis',
  version: '7.0.15',
};

const PREFIX = 'keyward_redis_';

const read = async (now = Date.now()) => {
  const { store, connection, catalog } = test.ctx;
  const all = await readFigures({ store, connection, catalog, now });
  // Other files of this worker may have registered more.
  const ofInstance = all.filter(({ name }) => name.startsWith(PREFIX));
  return new Map(ofInstance.map(({ name, value }) => [name.slice(PREFIX.length), value]));
};

it('are those of the last minute, in base units, and only what is defined', async () => {
  const now = Date.now();
  const publish = (at: number, commands: number) =>
    publishLive(test.ctx.store, test.handle.config.id, { bucket: bucketAt(at, commands), figures }, now);
  await publish(now - 2 * SECOND, 100);
  await publish(now - SECOND, 50);
  const known = await read(now);
  expect(Object.fromEntries(known)).toMatchObject({
    up: 1,
    operations_per_second: 75,
    hit_ratio: 0.75,
    memory_used_ratio: 0.25,
    latency_seconds: 0.002,
  });
  const defined = new Set(figureDefinitions().map(({ name }) => name.replace(PREFIX, '')));
  expect([...known.keys()].filter((name) => !defined.has(name))).toEqual([]);
});

it('are absent without a sample, and when it is old', async () => {
  expect((await read()).size).toBe(0);
  await publishLive(
    test.ctx.store,
    test.handle.config.id,
    { bucket: bucketAt(Date.now() - 20 * SECOND, 1), figures },
    Date.now(),
  );
  forget('figures');
  expect((await read()).size).toBe(0);
});

it('say that a Redis is down', async () => {
  const now = Date.now();
  await publishLive(test.ctx.store, test.handle.config.id, { gap: 'unreachable', at: now }, now);
  expect(await read(now)).toEqual(new Map([['up', 0]]));
});

it('of a Redis that only refuses INFO do not say that it is down', async () => {
  const now = Date.now();
  const gap = { gap: 'INFO is not permitted', at: now, notPermitted: true };
  await publishLive(test.ctx.store, test.handle.config.id, gap, now);
  expect(await read(now)).toEqual(new Map([['up', 1]]));
});

it('are no values any more beyond the age of their source', async () => {
  const now = Date.now();
  const names = ['keyward_redis_old', 'keyward_redis_new'];
  const figure = (name: string, at: number) => ({ name, labels: {}, value: 1, at });
  registerFigures([
    {
      definitions: [],
      alsoWhenDown: true,
      maxAgeMs: SECOND,
      read: async () => [figure(names[0]!, now - SECOND - 1), figure(names[1]!, now - SECOND)],
    },
  ]);
  expect([...(await read(now)).keys()]).toEqual(['new']);
});

it('of one domain that breaks do not hide the others', async () => {
  const broken: FigureSource = { definitions: [], read: () => Promise.reject(new Error('broken')) };
  registerFigures([broken]);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const now = Date.now();
  await publishLive(test.ctx.store, test.handle.config.id, { gap: 'unreachable', at: now }, now);
  expect((await read(now)).get('up')).toBe(0);
});
