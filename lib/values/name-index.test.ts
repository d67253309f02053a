import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { takeCensus } from '@/lib/sampler/census';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { noteChanges } from './change-notes';
import { knownNames } from './known-names';
import { MAX_INDEXED_NAMES, readNameIndex, writeNameIndex, writeNameIndexes } from './name-index';
import { forgetNames, latestScan, rememberScan } from './named-keys';
import { namedVariables, variableNames } from './variable-names';

let test: TestContext;
const quick = new ScanBudget({ chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 1000 });
/** A walk of some seconds, however fast the machine. */
const slow = new ScanBudget({ chunk: 100, pauseMs: 150, maxAddedLatencyMs: 1000 });
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  forgetNames(test.handle);
  test.handle.budget = quick;
});
afterAll(() => test.close());

const fill = async (): Promise<void> => {
  await test.redis.eval(`for i = 1, 4000 do redis.call('SET', 'author:id:' .. i, '{}') end`, 0);
  await test.redis.mset({ 'env_vars:DB_URL': '1', 'env_vars:FEATURE_A': '1', 'env_vars:\n': '1' });
};

const count = async (): Promise<void> => {
  const { names } = await takeCensus(test.handle, new AbortController().signal);
  await writeNameIndexes(test.ctx.store, 'main', names);
};

const known = async () => {
  const { names, ...rest } = await knownNames(test.ctx, namedVariables(test.ctx));
  return { names: names.map(({ name }) => name), ...rest };
};
/** Waits for the walk that is under way, until what it met is kept. */
const walked = async () => {
  await variableNames(test.ctx);
  const now = await known();
  await expect.poll(async () => (await readNameIndex(test.ctx.store, 'variable', 'main'))?.at).toBe(now.at);
  return now;
};
const ALL = ['DB_URL', 'FEATURE_A', '\\x0a'];

it('returns indexed names immediately with their age, then those of a scan', { tags: 'long' }, async () => {
  await fill();
  const before = Date.now();
  await count();
  const counted = Date.now();
  await test.redis.set('env_vars:FEATURE_NEW', '1');
  test.handle.budget = slow;
  const first = await known();
  expect(first).toMatchObject({ names: ALL.sort(), complete: false });
  expect(first.at).toBeGreaterThanOrEqual(before);
  expect(first.at).toBeLessThanOrEqual(counted);
  const second = await walked();
  expect(second).toMatchObject({ names: [...ALL, 'FEATURE_NEW'].sort(), complete: true });
  expect(second.at).toBeGreaterThanOrEqual(counted);
  // What the walk met is what the next list begins with, in every process.
  forgetNames(test.handle);
  expect(await known()).toMatchObject({ names: [...ALL, 'FEATURE_NEW'].sort(), complete: false });
  await walked();
});

it('includes variables created through Keyward since, by any process', { tags: ['long'] }, async () => {
  await fill();
  await count();
  test.handle.budget = slow;
  await test.redis.set('env_vars:FEATURE_MINE', '1');
  await noteChanges(test.ctx, [{ name: 'FEATURE_MINE', etag: 'x' }]);
  expect((await known()).names).toContain('FEATURE_MINE');
  await walked();
});

it('waits for the scan if there is no index and none before it', async () => {
  await fill();
  test.handle.budget = slow;
  // The same connection in a process that has not scanned it.
  const connection: typeof test.handle = Object.create(test.handle);
  const { names, complete } = await knownNames({ ...test.ctx, connection }, namedVariables(test.ctx));
  expect([names.map(({ name }) => name), complete]).toEqual([[...ALL].sort(), true]);
});

it('keeps the names of a short scan while the next one takes long', { tags: ['long'] }, async () => {
  await fill();
  await count();
  await test.redis.set('env_vars:FEATURE_NEW', '1');
  await expect.poll(async () => (await known()).names).toContain('FEATURE_NEW');
  test.handle.budget = slow;
  expect(await known()).toMatchObject({ names: [...ALL, 'FEATURE_NEW'].sort(), complete: false });
  await walked();
});

it('remembers the scan that started last, whichever ended last', () => {
  const connection: typeof test.handle = Object.create(test.handle);
  rememberScan(connection, namedVariables(test.ctx).family, { at: 2, names: ['NEW'] });
  rememberScan(connection, namedVariables(test.ctx).family, { at: 1, names: ['OLD'] });
  expect(latestScan(connection, namedVariables(test.ctx).family)).toEqual({ at: 2, names: ['NEW'] });
  rememberScan(connection, namedVariables(test.ctx).family, {
    at: 3,
    names: Array.from({ length: MAX_INDEXED_NAMES + 1 }, (_, i) => `N${i}`),
  });
  expect(latestScan(connection, namedVariables(test.ctx).family)).toBeNull();
});

it('scans each time if that is quick, and stores nothing', async () => {
  // On a busy machine a scan may take longer than a list waits: then it is asked again.
  await test.redis.set('env_vars:A', '1');
  await expect.poll(known).toMatchObject({ names: ['A'], complete: true });
  await test.redis.set('env_vars:B', '1');
  await expect.poll(known).toMatchObject({ names: ['A', 'B'], complete: true });
  await expect
    .poll(async () => {
      await test.storeRedis.flushall();
      forgetNames(test.handle);
      await known();
      await known();
      return readNameIndex(test.ctx.store, 'variable', 'main');
    })
    .toBeNull();
});

it('is sealed, bounded, and never replaced by an older scan', async () => {
  // Not of the connection that scans of the tests before may still write about.
  const { store } = test.ctx;
  await writeNameIndex(store, 'variable', 'direct', { at: 2, names: ['TOKEN_hunter2'] });
  expect(await test.storeRedis.get('keyward:variable-names:direct')).not.toContain('hunter2');
  expect(await test.storeRedis.ttl('keyward:variable-names:direct')).toBeGreaterThan(3600);
  await writeNameIndex(store, 'variable', 'direct', { at: 1, names: ['OLD'] });
  expect(await readNameIndex(store, 'variable', 'direct')).toEqual({ at: 2, names: ['TOKEN_hunter2'] });
  const names = Array.from({ length: MAX_INDEXED_NAMES + 1 }, (_, i) => `N${i}`);
  await writeNameIndex(store, 'variable', 'direct', { at: 3, names });
  expect(await readNameIndex(store, 'variable', 'direct')).toBeNull();
});
