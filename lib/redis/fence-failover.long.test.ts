import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { Fence } from './fence';

const KEYS = 30;

let cluster: Cluster;
let test: TestContext;

beforeAll(async () => {
  cluster = await startCluster({ primaries: 1, replicas: 1 });
  test = await testContext({ nodes: cluster.nodes });
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

it('counts each key once where an ordered failover makes the primary leave all of them to another node', async () => {
  const keys = Array.from({ length: KEYS }, (_, i) => Buffer.from(`fenced:${i}`));
  for (const key of keys) await test.redis.set(key, 'x');
  const [old] = await cluster.primaries();
  const plain = new Redis(old!.url);
  await plain.wait(1, 5000);
  const fence = new Fence(test.handle, new AbortController().signal);
  // It knows the primary before the other one follows.
  const shot = await snapshot(fence.writer, keys);
  expect(shot.there).toHaveLength(KEYS);
  await cluster.failover();
  await expect.poll(() => plain.role()).toContain('slave');
  const out = await unlinkUnchanged(fence.writer, shot);
  expect(out).toEqual({ deleted: KEYS, gone: [], changed: [] });
  expect(await fence.confirmed()).toBe(true);
  expect(fence.fencing()).toMatchObject({ cameBack: 0, unknown: 0 });
  for (const key of keys) expect(await test.redis.exists(key)).toBe(0);
  plain.disconnect();
});
