import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { pubSubState } from '@/lib/channels/pubsub-state';
import { runCommand } from '@/lib/command/run';
import { getDiagnostics } from '@/lib/diagnostics/reads';
import { listNodes } from '@/lib/nodes/reads';
import { observeProfile } from '@/lib/profiler/observe';
import { openConnection } from '@/lib/redis/connections';
import { isSameDatabase } from '@/lib/redis/same-database';
import { readCommands } from '@/lib/redis/server-reads';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import type { RedisServer } from '@/scripts/redis-server.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { serverClient } from '@/scripts/testing/server-client';
import { killClient } from './clients/kill';
import { forgetClients, listClients } from './clients/list';
import { clientContracts } from './clients/schema';
import { listCommands } from './command-stats';
import { listLatency } from './latency';
import { serverContracts } from './schema';
import { getServer } from './server';
import { listSlowLog } from './slow-log-list';

let cluster: Cluster;
let test: TestContext;
const clients: TestContext['redis'][] = [];

beforeAll(async () => {
  cluster = await startCluster({
    args: ['--slowlog-log-slower-than', '0', '--cluster-allow-replica-migration', 'no'],
    isFullCoverage: false,
  });
  test = await testContext({ apps: ['discours'], nodes: cluster.nodes });
});
beforeEach(() => {
  forget('server');
  forget('slow-log', 'slow logs');
  forget('latency-events');
  forget('command-stats');
  forgetClients();
  forget('diagnostics', 'hot-keys', 'command-tables');
  forget('pubsub state');
  forget('nodes');
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await test.close();
  await cluster.stop();
});

const clientOf = async (server: RedisServer, name: string) => {
  const client = await serverClient(server, name);
  clients.push(client);
  return client;
};

const slowLog = (input: object = {}) =>
  listSlowLog(test.ctx, serverContracts.slowLog.input.parse({ own: true, limit: 1000, ...input }));
const listed = (input: object = {}) =>
  listClients(test.ctx, clientContracts.list.input.parse({ limit: 1000, ...input }));
const commands = async () =>
  listCommands(test.ctx, serverContracts.commands.input.parse({ limit: 1000, q: 'echo' }));

const nodes = () => [...cluster.nodes].sort();

describe('of three primaries', () => {
  it('are the same database for another connection that knows only one of them', async () => {
    const { config } = test.handle;
    const other = openConnection({
      ...config,
      id: 'other',
      cluster: { nodes: [cluster.nodes[2]!], natMap: null },
    });
    await other.topology.known();
    await test.handle.topology.primaries()[0]!.client('read').ready();
    await other.topology.primaries()[1]!.client('read').ready();
    expect(isSameDatabase(test.handle, other)).toBe(true);
    other.topology.close();
  });

  it('lists each with its slots', async () => {
    const { items } = await listNodes(test.ctx, { limit: 100 });
    expect(items.map(({ address }) => address).sort()).toEqual(nodes());
    expect(items.reduce((sum, { slots }) => sum + slots!, 0)).toBe(16_384);
  });

  it('the slow log has the entries of all, each with its node, in pages without repetition', async () => {
    for (const [i, server] of cluster.servers.entries())
      await (await clientOf(server, `slow-${i}`)).call('CLIENT', 'GETNAME');
    const { items, length, thresholdMicros, missingNodes } = await slowLog({ command: 'CLIENT GETNAME' });
    expect(items.map(({ node }) => node).sort()).toEqual(nodes());
    expect(new Set(items.map(({ id }) => id)).size).toBe(3);
    expect({ thresholdMicros, missingNodes }).toEqual({ thresholdMicros: 0, missingNodes: [] });
    expect(length).toBeGreaterThan(3);
    const own = await clientOf(cluster.servers[0]!, 'settings');
    await own.config('SET', 'slowlog-log-slower-than', '5000');
    forget('slow-log');
    expect((await slowLog()).thresholdMicros).toBeNull();
    await own.config('SET', 'slowlog-log-slower-than', '0');
  });

  it('clients are those of all, and one is killed where it is', async () => {
    const app = await clientOf(cluster.servers[2]!, 'worker');
    const { items, connected } = await listed();
    expect(connected).toBe(items.length);
    const { id, address, node } = items.find(({ name }) => name === 'worker')!;
    expect(node).toBe(cluster.nodes[2]);
    const kill = (input: object) =>
      runCommand(killClient, {
        actor: testActor(),
        requestId: 'request',
        connection: test.handle,
        raw: { confirm: 'main', ...input },
      });
    expect(await problemOf(kill({ id, address: '10.9.9.9:1' }))).toMatchObject({ code: 'conflict' });
    expect(await kill({ id, address })).toMatchObject({ killed: true });
    expect(app.status).not.toBe('ready');
  });

  it('commands are sums, with rates once all were read twice', async () => {
    forget('command-stats', 'command readings');
    const before = (await commands()).items[0]?.calls ?? 0;
    for (const [i, server] of cluster.servers.entries())
      await (await clientOf(server, `echo-${i}`)).echo('x');
    forget('command-stats');
    const { items, windowSeconds } = await commands();
    expect(items[0]!.calls - before).toBe(3);
    // Each server is read at a moment of its own, and the longest of their windows is named.
    expect(items[0]!.callsPerSecond! * windowSeconds!).toBeGreaterThan(2.99);
  });

  it('the server is one of them, by its address', async () => {
    const first = await getServer(test.ctx, {});
    expect(first.nodes.map(({ node }) => node).sort()).toEqual(nodes());
    for (const node of cluster.nodes) {
      const { sections } = await getServer(test.ctx, { node });
      expect(sections.process.figures?.port).toBe(Number(node.split(':')[1]));
    }
    expect(await problemOf(getServer(test.ctx, { node: '127.0.0.1:1' }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('latency events have their node', async () => {
    const redis = await clientOf(cluster.servers[1]!, 'latency');
    await redis.config('SET', 'latency-monitor-threshold', '1');
    await redis.call('DEBUG', 'SLEEP', '0.01').catch(() => undefined);
    const { items } = await listLatency(test.ctx, serverContracts.latency.input.parse({}));
    expect(items.every(({ node }) => node === cluster.nodes[1])).toBe(true);
    await redis.config('SET', 'latency-monitor-threshold', '0');
  });

  it('health sums memory and clients', async () => {
    const { sections, missingNodes } = await getDiagnostics(test.ctx);
    const used = await Promise.all(
      test.handle.topology.primaries().map((node) => node.client('read').redis.info('memory')),
    );
    const sum = used.reduce((bytes, info) => bytes + Number(/used_memory:(\d+)/.exec(info)![1]), 0);
    expect(sections.memory.figures!.usedBytes! / sum).toBeGreaterThan(0.8);
    const { entries } = sections.slowLog.figures!;
    expect(entries!.length).toBe(30);
    expect(entries!.every(({ node }) => cluster.nodes.includes(node!))).toBe(true);
    expect(missingNodes).toEqual([]);
  });

  it('a channel has the subscribers of all', async () => {
    for (const [i, server] of cluster.servers.entries())
      await (await clientOf(server, `sub-${i}`)).subscribe('news');
    const { plain } = await pubSubState(test.handle);
    expect(plain.channels).toEqual([{ name: Buffer.from('news'), subscribers: 3 }]);
  });

  it('a profile has the calls of all', { tags: ['long'] }, async () => {
    const end = new AbortController();
    const apps = await Promise.all(cluster.servers.map((server, i) => clientOf(server, `app-${i}`)));
    const running = observeProfile(
      { handle: test.handle, catalog: test.ctx.catalog },
      { seconds: 10, share: 0.2, filter: { command: 'echo' }, signal: end.signal },
    );
    const monitored = async () => {
      const lists = await Promise.all(apps.map((app) => app.call('CLIENT', 'LIST')));
      return lists.filter((list) => / flags=[A-Za-z]*O/.test(String(list))).length;
    };
    await expect.poll(monitored, { timeout: 8000 }).toBe(3);
    for (const app of apps) for (let i = 0; i < 5; i++) await app.echo('profiled');
    end.abort();
    const profile = await running;
    expect(profile.calls).toBe(15);
    expect(profile.clients.map(({ client, calls }) => [client, calls]).sort()).toEqual([
      ['app-0', 5],
      ['app-1', 5],
      ['app-2', 5],
    ]);
  });
});

it('asks another primary what all know, where one has just died', async () => {
  const [first] = test.handle.topology.primaries();
  const { redis } = first!.client('read');
  vi.spyOn(redis, 'call').mockRejectedValueOnce(new Error("Stream isn't writeable"));
  expect((await readCommands(test.handle)).has('get')).toBe(true);
  expect(redis.call).toHaveBeenCalledTimes(1);
});

it('says which primary does not answer, and how many slots it has', { tags: 'long' }, async () => {
  const down = cluster.servers[1]!;
  await down.stop();
  const missing = {
    node: cluster.nodes[1],
    slots: expect.any(Number),
    reason: expect.stringContaining('main'),
  };
  for (const read of [
    slowLog,
    listed,
    commands,
    () => getServer(test.ctx, {}),
    () => listLatency(test.ctx, serverContracts.latency.input.parse({})),
    () => getDiagnostics(test.ctx),
  ])
    expect((await read()).missingNodes).toEqual([missing]);
  const others = nodes().filter((node) => node !== cluster.nodes[1]);
  expect([...new Set((await slowLog()).items.map(({ node }) => node))].sort()).toEqual(others);
  const { items } = await listNodes(test.ctx, { limit: 100 });
  expect(items.find(({ address }) => address === cluster.nodes[1])).toMatchObject({
    state: 'unreachable',
    slots: missing.slots,
  });
  expect((await pubSubState(test.handle)).missing).toEqual([missing]);
});
