import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './cluster.mjs';
import type { RedisServer } from './redis-server.mjs';

let cluster: Cluster;
const clients: Redis[] = [];
const clientOf = ({ port }: { port: number }) => {
  const client = new Redis(port, '127.0.0.1');
  clients.push(client);
  return client;
};

beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
}, 40_000);
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await cluster?.stop();
});

const threePrimaries = async () => (await cluster.primaries()) as [RedisServer, RedisServer, RedisServer];
const firstSlotOf = async (server: RedisServer): Promise<number> => (await cluster.slotsOf(server))[0]![0];

const keysOf = async (servers: { port: number }[]) =>
  (await Promise.all(servers.map((server) => clientOf(server).keys('*')))).flat().sort();

test('a cluster serves every slot, and a key where its slot says', async () => {
  const primaries = await threePrimaries();
  expect(primaries).toHaveLength(3);
  const ranges = (await Promise.all(primaries.map((primary) => cluster.slotsOf(primary)))).flat();
  expect(ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)).toBe(16_384);
  const names = ['user:1', 'a{b}c', '{}a', 'a{}{b}', '{{b}}', 'é', 'x{'];
  const client = clientOf(primaries[0]);
  for (const name of names) expect(cluster.slotOf(name)).toBe(await client.cluster('KEYSLOT', name));
  const bytes = Buffer.from([0xff, 0x0d, 0x0a, 0]);
  expect(cluster.slotOf(bytes)).toBe(await client.call('CLUSTER', 'KEYSLOT', bytes));
});

test('slots move with their keys, each of which exists once', { tags: ['long'] }, async () => {
  const [source, target] = await threePrimaries();
  const first = await firstSlotOf(source);
  const slots = Array.from({ length: 20 }, (_, i) => first + i);
  const keys: (string | Buffer)[] = [];
  for (let i = 0; keys.length < 60; i++) {
    const key = i % 3 === 0 ? Buffer.from([0xff, i & 0xff, i >> 8, 0x0a]) : `key:${i}`;
    if (slots.includes(cluster.slotOf(key))) keys.push(key);
  }
  const client = clientOf(source);
  for (const key of keys) await client.set(key, 'v');
  const during: number[] = [];
  await cluster.moveSlots(slots, target, {
    batch: 1,
    whileMoving: (slot) => {
      during.push(slot);
    },
  });
  expect(during).toEqual(slots);
  expect(await keysOf([source])).toEqual([]);
  expect(await keysOf(cluster.servers)).toHaveLength(keys.length);
  expect((await cluster.serverOf(keys[0]!)).port).toBe(target.port);
  for (const key of keys) expect(await clientOf(target).get(key)).toBe('v');
});

test('a move that stops in the middle leaves keys on both sides', async () => {
  const [source, target] = await threePrimaries();
  const slot = cluster.slotOf('{half}');
  const from = await cluster.serverOf('{half}');
  const to = from.port === target.port ? source : target;
  const client = clientOf(from);
  await client.mset('{half}1', 'a', '{half}2', 'b');
  await cluster.beginMove(slot, to);
  expect(await cluster.moveKeys(slot, 1)).toBe(1);
  const replies = await Promise.allSettled([client.get('{half}1'), client.get('{half}2')]);
  const asked = replies.filter((reply) => reply.status === 'rejected');
  expect(asked.map(({ reason }) => reason.message)).toEqual([`ASK ${slot} 127.0.0.1:${to.port}`]);
  await expect(client.mget('{half}1', '{half}2')).rejects.toThrow('TRYAGAIN');
  await cluster.endMove(slot);
  expect(await clientOf(to).mget('{half}1', '{half}2')).toEqual(['a', 'b']);
});

test('a replica joins, takes over in order, and the first one does when it is killed', {
  tags: 'long',
  timeout: 40_000,
}, async () => {
  const [first, , third] = await threePrimaries();
  const replica = await cluster.addNode({ replicaOf: first });
  expect(await cluster.replicasOf(first)).toEqual([replica]);
  const slot = await firstSlotOf(first);
  expect(await cluster.failover(replica)).toBe(replica);
  expect(await cluster.primaries()).not.toContain(first);
  process.kill(replica.pid, 'SIGKILL');
  expect(await cluster.untilServedBy(slot, (server) => server !== replica)).toBe(first);
  expect(await cluster.primaries()).toContain(third);
});
