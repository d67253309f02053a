import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import type { Client } from './client';
import { openStore, type Store } from './store';

let watched: Sentinels;
let store: Store;
let live: Client;
let queues: ReturnType<Store['queue']>[];

beforeAll(async () => {
  watched = await startSentinels({ replicas: 2 });
  store = openStore(`redis://${watched.name}/3`, {
    sentinel: {
      name: watched.name,
      nodes: watched.nodes,
      username: null,
      password: null,
      tls: null,
      natMap: null,
    },
  });
  live = store.dedicated('live');
  queues = [store.queue('add'), store.queue('work')];
});
afterAll(async () => {
  for (const redis of [live.redis, ...queues]) redis.disconnect();
  store.close();
  await watched.stop();
});

const portOf = async (redis: Client['redis']): Promise<number> =>
  Number(/tcp_port:(\d+)/.exec(await redis.info('server'))![1]);

/** The ports of the servers that each kind of client is connected to; the text of a failure. */
const ports = () =>
  Promise.all(
    [
      store.use(portOf),
      store.withReplica(portOf),
      live.ready().then(() => portOf(live.redis)),
      ...queues.map(portOf),
    ].map((port) => port.catch(String)),
  );

const onlyOn = (server: { port?: number | undefined }) => Array(5).fill(server.port);

it('is the primary that the Sentinels name, with its database, for every client', async () => {
  expect(store.mayFailOver).toBe(true);
  await expect.poll(ports, { timeout: 5000 }).toEqual(onlyOn((await watched.primary())!));
  await store.use((redis) => redis.set('a', '1'));
  expect(await store.use((redis) => redis.info('keyspace'))).toContain('db3:keys=1');
});

it('confirms what a replica has', async () => {
  const stored = await store.withReplica(async (redis, confirm) => [
    await redis.set('b', '1'),
    await confirm(),
  ]);
  expect(stored).toEqual(['OK', true]);
});

it('is the new primary after an ordered failover and after a crash', async () => {
  const next = await watched.failover();
  await expect.poll(ports, { timeout: 5000 }).toEqual(onlyOn(next));
  expect(await store.use((redis) => redis.mget('a', 'b'))).toEqual(['1', '1']);
  next.process.kill('SIGKILL');
  await expect.poll(ports, { timeout: 10_000 }).toEqual(onlyOn(await watched.untilPrimaryIsNot(next)));
}, 30_000);

it('confirms nothing without a replica, and holds up nobody else meanwhile', async () => {
  const primary = (await watched.primary())!;
  for (const server of watched.servers) if (server !== primary) server.process.kill('SIGKILL');
  const confirmed = store.withReplica(async (redis, confirm) => {
    await redis.set('c', '1');
    return confirm();
  });
  const start = performance.now();
  expect(await store.use((redis) => redis.get('a'))).toBe('1');
  expect(performance.now() - start).toBeLessThan(250);
  expect(await confirmed).toBe(false);
});

it('does not confirm on another connection than the one that wrote', async () => {
  const lost = store.withReplica(async (redis, confirm) => {
    await redis.set('d', '1');
    redis.disconnect(true);
    await new Promise((resolve) => redis.once('ready', resolve));
    await expect.poll(() => store.withReplica((other) => other.get('d'))).toBe('1');
    return confirm();
  });
  expect(await lost).toBe(false);
});
