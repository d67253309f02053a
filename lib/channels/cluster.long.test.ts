import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { serverClient } from '@/scripts/testing/server-client';
import { TailReader } from '@/scripts/testing/tail';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { closeHubs } from './hub';

let cluster: Cluster;
let test: TestContext;
const apps: TestContext['redis'][] = [];
const readers: TailReader[] = [];
beforeAll(async () => {
  cluster = await startCluster({ args: ['--notify-keyspace-events', 'Kg'], isFullCoverage: false });
  test = await testContext({ nodes: cluster.nodes });
  for (const server of cluster.servers) apps.push(await serverClient(server, 'app'));
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  closeHubs();
});
afterAll(async () => {
  for (const app of apps) app.disconnect();
  await test.close();
  await cluster.stop();
});

const tail = async (input: object): Promise<TailReader> => {
  const reader = await new TailReader(test.ctx, input).begun();
  readers.push(reader);
  return reader;
};
const shards = () => apps.map((_, i) => `orders:${i}`);

it('hears a channel once, whichever node it was published on', async () => {
  const reader = await tail({ channels: ['news'] });
  for (const [i, app] of apps.entries()) await app.publish('news', `from ${i}`);
  await expect.poll(() => reader.payloads.toSorted()).toEqual(['from 0', 'from 1', 'from 2']);
});

it('hears the key events of every node', async () => {
  const reader = await tail({ patterns: ['__keyspace@0__:*'] });
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const key of keys) await test.redis.set(key, 'x');
  for (const key of keys) await test.redis.del(key);
  await expect.poll(() => reader.payloads).toEqual(keys.map(() => 'del'));
});

it.skipIf(IS_REDIS_6)(
  'hears a sharded channel where its slot is, also after the slot has moved',
  async () => {
    const reader = await tail({ shardChannels: shards() });
    const publish = async (text: string) => {
      for (const name of shards())
        await (test.redis as never as { spublish(name: string, text: string): Promise<number> }).spublish(
          name,
          text,
        );
    };
    await publish('before');
    await expect.poll(() => reader.payloads).toEqual(['before', 'before', 'before']);
    const [name] = shards();
    const from = await cluster.serverOf(name!);
    const to = cluster.servers.find(({ port }) => port !== from.port)!;
    await cluster.moveSlots([cluster.slotOf(name!)], to);
    const heard = async () => {
      await publish('after');
      return reader.payloads.filter((text) => text === 'after').length;
    };
    await expect.poll(() => reader.gaps.length, { timeout: 12_000 }).toBeGreaterThan(1);
    const before = await heard();
    await expect.poll(heard).toBeGreaterThanOrEqual(before + 3);
  },
  30_000,
);
