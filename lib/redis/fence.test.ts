import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Primaries, primariesAt } from '@/scripts/testing/two-primaries';
import type { Client } from './client';
import { Fence } from './fence';

let test: TestContext;
let servers: RedisServer[];
let clients: Client[];
let primaries: Primaries;
let stop: AbortController;

beforeAll(async () => {
  test = await testContext();
  const args = ['--repl-diskless-sync-delay', '0'];
  servers = await Promise.all([startRedis({ args }), startRedis({ args })]);
});
beforeEach(async () => {
  primaries?.close();
  for (const client of clients ?? []) client.close();
  primaries = primariesAt(test.handle.config, [servers[0]!.url]);
  clients = servers.map(({ port }) => primaries.handle.topology.at(`127.0.0.1:${port}`, 'test'));
  await Promise.all(clients.map((client) => client.ready()));
  for (const { redis } of clients) {
    await redis.replicaof('NO', 'ONE');
    await redis.del(...keys);
  }
  await on(0).mset(...keys.flatMap((key) => [key, 'x']));
  await on(1).replicaof('127.0.0.1', servers[0]!.port);
  await expect.poll(() => on(0).info('replication'), { timeout: 10_000 }).toContain('state=online');
  await on(0).wait(1, 5000);
  stop = new AbortController();
});
afterAll(async () => {
  primaries.close();
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await test.close();
});

const keys = ['a', 'b', 'c'].map((name) => Buffer.from(`fenced:${name}`));
const on = (i: number) => clients[i]!.redis;
const fenceOf = (handle = primaries.handle) => new Fence(handle, stop.signal);
/** The replica becomes the primary, without what the old one still accepts. */
const promote = async () => {
  await on(1).replicaof('NO', 'ONE');
  await expect.poll(() => on(0).info('replication')).toContain('connected_slaves:0');
};
const follow = async () => {
  primaries.move(primaries.nodes[0]!, servers[1]!.url);
  await primaries.nodes[0]!.client('write').ready();
};

it('says how many replicas confirmed the changes', async () => {
  const fence = fenceOf();
  expect(fence.fencing()).toBeNull();
  expect(await fence.writer.unlink(keys)).toBe(3);
  expect(await fence.confirmed()).toBe(true);
  expect(await on(1).exists(...keys)).toBe(0);
  expect(fence.fencing()).toEqual({ replicas: 1, why: null, failovers: 0, cameBack: 0, unknown: 0 });
});

it('repeats on the new primary what the old one took after the other had left it', {
  tags: 'long',
}, async () => {
  const fence = fenceOf();
  expect(await fence.writer.unlink(keys.slice(0, 1))).toBe(1);
  expect(await fence.confirmed()).toBe(true);
  await promote();
  expect(await fence.writer.unlink(keys.slice(1))).toBe(2);
  await fence.confirm();
  expect(fence.fencing()).toMatchObject({ why: 'late', failovers: 0 });
  await follow();
  await fence.follows();
  expect(await on(1).exists(...keys)).toBe(0);
  expect(await fence.confirmed()).toBe(true);
  expect(fence.fencing()).toEqual({ replicas: 0, why: 'none', failovers: 1, cameBack: 2, unknown: 0 });
});

it('leaves what has another value there, and says so', async () => {
  const fence = fenceOf();
  const script = { name: 'unlink-unchanged', otherCalls: () => 3 };
  const check = async (key: Buffer) => (await on(0).dumpBuffer(key))!.subarray(-8);
  const args = [keys[0]!, await check(keys[0]!), '', keys[1]!, await check(keys[1]!), ''];
  await fence.writer.unlink(keys.slice(2));
  await fence.confirmed();
  await promote();
  await on(1).set(keys[0]!, 'another');
  expect(String((await fence.writer.runNear(script, keys[0]!, args))[0])).toBe('dd');
  await follow();
  await fence.follows();
  expect(await on(1).exists(...keys)).toBe(1);
  expect(fence.fencing()).toMatchObject({ failovers: 1, cameBack: 1, unknown: 1 });
});

it('makes a call again that the old primary refuses as a replica', async () => {
  const fence = fenceOf();
  await fence.writer.unlink(keys.slice(0, 1));
  await fence.confirmed();
  await on(1).replicaof('NO', 'ONE');
  await on(0).replicaof('127.0.0.1', servers[1]!.port);
  const deleted = fence.writer.unlink(keys.slice(1));
  await follow();
  expect(await deleted).toBe(2);
  expect(fence.fencing()).toMatchObject({ failovers: 1, unknown: 0 });
});

it('ends its waiting when the job is cancelled, and says what is not confirmed', async () => {
  const fence = fenceOf();
  await fence.writer.unlink(keys.slice(0, 1));
  await fence.confirmed();
  await promote();
  await fence.writer.unlink(keys.slice(1));
  const confirmed = fence.confirmed();
  stop.abort();
  expect(await confirmed).toBe(false);
  expect(fence.fencing()).toMatchObject({ replicas: 1, why: 'late', failovers: 0 });
});

it('reads how far replicas came where WAIT is not permitted, and says so where INFO is not either', {
  tags: ['long'],
}, async () => {
  const user = async (name: string, ...rules: string[]) => {
    await on(0).acl('SETUSER', name, 'on', '>pw', '~*', '+@all', ...rules);
    const handle = primariesAt(test.handle.config, [`redis://${name}:pw@127.0.0.1:${servers[0]!.port}`]);
    const fence = fenceOf(handle.handle);
    expect(await fence.writer.unlink(keys)).toBeGreaterThanOrEqual(0);
    expect(await fence.confirmed()).toBe(true);
    handle.close();
    return fence.fencing();
  };
  expect(await user('no-wait', '-wait')).toMatchObject({ replicas: 1, why: null });
  expect(await user('no-info', '-info')).toMatchObject({ replicas: 0, why: 'refused' });
});

it('says why it could not confirm, also when the answer is lost', async () => {
  const fence = fenceOf(test.handle);
  await fence.writer.unlink(keys);
  const { redis } = test.handle.topology.primaries()[0]!.client('write');
  vi.spyOn(redis, 'info').mockRejectedValueOnce(new Error('Command timed out'));
  await expect(fence.confirmed()).rejects.toMatchObject({ status: 503, code: 'unreachable' });
});

it('repeats nothing on one server, whose restart the walk notices', { tags: ['long'] }, async () => {
  const fence = fenceOf(test.handle);
  await test.redis.mset(...keys.flatMap((key) => [key, 'x']));
  expect(await fence.writer.unlink(keys)).toBe(3);
  await test.restart();
  await test.redis.mset(...keys.flatMap((key) => [key, 'x']));
  expect(await fence.confirmed()).toBe(true);
  expect(await test.redis.exists(...keys)).toBe(3);
  // There is no replica that could have confirmed it.
  expect(fence.fencing()).toEqual({ replicas: 0, why: null, failovers: 0, cameBack: 0, unknown: 0 });
});
