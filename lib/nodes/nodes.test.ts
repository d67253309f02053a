import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { writeNodeFigures } from '@/lib/history/node-figures';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { closeStore, openStore, store } from '@/lib/redis/store';
import { startRedis } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { primariesAt } from '@/scripts/testing/two-primaries';
import { listNodes } from './reads';

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext({ redisArgs: ['--repl-diskless-sync-delay', '0'] });
});
beforeEach(async () => {
  closeStore();
  forget('nodes');
  await test.empty();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

const server = async (...args: string[]) => {
  const started = await startRedis({ args });
  closing.push(() => started.stop());
  return started;
};

const infoOf = async (section: string) =>
  new Map((await test.redis.info(section)).split('\r\n').map((line) => line.split(':') as [string, string]));

const configOf = (url: string) => ({ ...readEnv({ REDIS_URL: url }).connections[0]!, id: 'main' });

const list = async (connection: ConnectionHandle = test.handle) => {
  forget('nodes');
  return listNodes({ ...test.ctx, store: store(), connection }, { limit: 1000 });
};
const address = () => new URL(test.handle.config.url!).host;

it('lists a primary with its figures, and its replica as the primary names it', {
  tags: ['long'],
}, async () => {
  const replica = await server('--replicaof', '127.0.0.1', new URL(test.handle.config.url!).port);
  await test.redis.mset({ a: '1', b: '2' });
  const state = async () => (await list()).items[1];
  await expect
    .poll(state, { timeout: 8000 })
    .toMatchObject({ state: 'ready', lagSeconds: expect.any(Number) });
  const info = await infoOf('server');
  const { items, nextCursor } = await list();
  expect(nextCursor).toBeNull();
  expect(items).toEqual([
    {
      id: info.get('run_id'),
      address: address(),
      role: 'primary',
      state: 'ready',
      reason: null,
      product: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+/),
      keys: 2,
      slots: null,
      usedMemoryBytes: expect.any(Number),
      opsPerSecond: null,
      hitRate: null,
      lagSeconds: null,
    },
    {
      id: `127.0.0.1:${replica.port}`,
      address: `127.0.0.1:${replica.port}`,
      role: 'replica',
      state: 'ready',
      reason: null,
      product: null,
      version: null,
      slots: null,
      keys: null,
      usedMemoryBytes: null,
      opsPerSecond: null,
      hitRate: null,
      lagSeconds: items[1]!.lagSeconds,
    },
  ]);
  const read = (input: { limit: number; cursor?: string }) => listNodes(test.ctx, input);
  expect(await allPages(read, 1)).toEqual((await listNodes(test.ctx, { limit: 1000 })).items);
});

it('has the rates that the sampling process stored for the same server, while they are recent', async () => {
  const process = (await infoOf('server')).get('run_id')!;
  const now = Date.now();
  const figures = { process, hitRate: 0.75, opsPerSecond: 12 };
  const another = openStore(globalThis.process.env.KEYWARD_STORE_URL!);
  closing.push(() => another.close());
  await writeNodeFigures(another, 'main', [{ ...figures, at: now }]);
  expect((await list()).items).toMatchObject([{ opsPerSecond: 12, hitRate: 0.75 }]);
  await writeNodeFigures(another, 'main', [{ ...figures, at: now - 30_000 }]);
  expect((await list()).items).toMatchObject([{ opsPerSecond: null, hitRate: null, state: 'ready' }]);
  await writeNodeFigures(another, 'main', [{ ...figures, process: 'another process', at: now }]);
  expect((await list()).items).toMatchObject([{ opsPerSecond: null, hitRate: null, state: 'ready' }]);
});

it('lists a primary that does not answer beside one that does, and says why', async () => {
  const gone = await server();
  const { handle, close } = primariesAt(configOf(gone.url), [gone.url, test.handle.config.url!]);
  closing.push(close);
  expect((await list(handle)).items).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  await gone.stop();
  const known = { address: `127.0.0.1:${gone.port}`, role: 'primary', keys: null, version: null };
  expect((await list(handle)).items).toMatchObject([
    { ...known, state: 'unreachable', reason: expect.stringContaining('"main"') },
    { address: address(), state: 'ready', reason: null },
  ]);
});

it('says where the user may not ask', async () => {
  await test.redis.call('ACL', 'SETUSER', 'blind', 'reset', 'on', '>pw', '~*', '&*', '+@all', '-info');
  const handle = openConnection(configOf(test.handle.config.url!.replace('//', '//blind:pw@')));
  closing.push(() => handle.topology.close());
  expect((await list(handle)).items).toMatchObject([
    {
      id: address(),
      address: address(),
      role: 'primary',
      state: 'ready',
      keys: null,
      version: null,
      reason: expect.stringContaining('may not use INFO'),
    },
  ]);
});

it('lists a connection to a replica as a replica', async () => {
  const replica = await server('--replicaof', '127.0.0.1', '1');
  const handle = openConnection(configOf(replica.url));
  closing.push(() => handle.topology.close());
  expect((await list(handle)).items).toMatchObject([{ role: 'replica', state: 'ready', lagSeconds: null }]);
});
