import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { touchesKeys } from './no-touch';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

it('is asked for at each connect of the client that walks, and of no other', async () => {
  const [node] = test.handle.topology.primaries();
  const [scan, read] = [node!.client('scan'), node!.client('read')];
  const calls = [scan, read].map(({ redis }) => vi.spyOn(redis, 'call'));
  const asked = () =>
    calls.map(({ mock }) => mock.calls.filter((call) => `${call}` === 'CLIENT,NO-TOUCH,ON').length);
  await Promise.all([scan.ready(), read.ready()]);
  expect(asked()).toEqual([1, 0]);
  const refused = await test.redis.call('CLIENT', 'NO-TOUCH', 'ON').catch(() => null);
  expect(await touchesKeys(scan.redis)).toBe(refused === null);
  await test.restart();
  expect(asked()).toEqual([2, 0]);
});

it('is never asked for in a cluster', { tags: 'long' }, async () => {
  const cluster = await startCluster({ primaries: 1 });
  const inCluster = await testContext({ nodes: cluster.nodes });
  try {
    const [node] = inCluster.handle.topology.primaries();
    const { redis, ready } = node!.client('scan');
    const call = vi.spyOn(redis, 'call');
    await ready();
    expect(await touchesKeys(redis)).toBe(true);
    const list = (await redis.call('CLIENT', 'LIST')) as string;
    expect(list).not.toMatch(/ flags=\w*T/);
    expect(call.mock.calls.filter((each) => `${each}`.includes('NO-TOUCH'))).toEqual([]);
  } finally {
    await inCluster.close();
    await cluster.stop();
  }
});
