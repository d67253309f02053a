import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHistoryEvents } from '@/lib/history/events';
import { readLive } from '@/lib/history/points';
import { store } from '@/lib/redis/store';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { InfoProbe } from './info-probe';

let cluster: Cluster;
let test: TestContext;
let probe: InfoProbe;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3, replicas: 1 });
  test = await testContext({ nodes: cluster.nodes.slice(0, 3) });
  probe = new InfoProbe(test.handle, store(), 'one');
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const events = async () =>
  (await readHistoryEvents(store(), 'main', 0, Date.now())).map(({ kind, text }) => [kind, text]);
const newest = async () => (await readLive(store(), 'main', 0)).at(-1)!.sample;
const sample = () => probe.sample();

it('knows the primaries of the beginning at its first sample', async () => {
  await sample();
  await sample();
  expect(await events()).toEqual([]);
  expect(await newest()).toMatchObject({ figures: { keys: 0 } });
  expect(test.handle.status()).toEqual({ state: 'ready', reason: null });
});

it('goes on with the others while a primary is down, and marks the replica that takes over, no restart', async () => {
  const [first] = await cluster.primaries();
  const place = `127.0.0.1:${first!.port}`;
  const before = test.handle.topology.primaries();
  await first!.stop();
  await sample();
  expect(await newest()).toHaveProperty('bucket');
  expect(await events()).toEqual([['outage', `Unreachable: ${place}`]]);
  await expect
    .poll(() => test.handle.status())
    .toMatchObject({ state: 'degraded', reason: expect.stringMatching(`${place} with \\d+ of 16384 slots`) });
  await cluster.untilServedBy(0, ({ port }) => port !== first!.port);
  const isBack = async () => {
    await sample();
    return (await events()).map(([kind]) => kind);
  };
  await expect.poll(isBack, { timeout: 10_000 }).toContain('recovered');
  await expect.poll(isBack, { timeout: 10_000 }).toContain('failover');
  expect((await isBack()).sort()).toEqual(['failover', 'outage', 'recovered']);
  expect(test.handle.topology.primaries().every((node) => before.includes(node))).toBe(true);
  await expect.poll(() => test.handle.status().state).toBe('ready');
}, 30_000);

it('marks a node that joins, once', async () => {
  const joined = await cluster.addNode();
  const [from] = await cluster.slotsOf((await cluster.primaries())[0]!);
  await cluster.moveSlots([from![0]], joined);
  const kinds = async () => {
    await sample();
    return (await events()).filter(([kind]) => kind === 'node-added').map(([, text]) => text);
  };
  await expect.poll(kinds, { timeout: 10_000 }).toEqual([`Node added: 127.0.0.1:${joined.port}`]);
  await sample();
  expect(await kinds()).toHaveLength(1);
}, 30_000);
