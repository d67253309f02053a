import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { readFlags } from '@/lib/redis/keyspace-events';
import { store } from '@/lib/redis/store';
import { startCluster } from '@/scripts/cluster.mjs';
import { startRedis } from '@/scripts/redis-server.mjs';
import { startSentinels } from '@/scripts/sentinels.mjs';
import { behindSentinels } from '@/scripts/testing/behind-sentinels';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { exactly } from '@/scripts/testing/round-trip';
import { primariesAt } from '@/scripts/testing/two-primaries';
import { takeWindow } from './take';
import type { WindowCounts } from './window-counts';

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await test.close();
});

/** An application that reads one key that is there and one that is not, one after the other, until it is ended. */
const application = async (port: number, found: string, missed: string): Promise<() => Promise<void>> => {
  const redis = test.redis.duplicate({ port });
  await redis.set(found, '{}');
  let isOver = false;
  const reads = (async () => {
    while (!isOver) await redis.pipeline().get(found).get(missed).exec();
  })();
  return async () => {
    isOver = true;
    await reads;
    redis.disconnect();
  };
};

const windowOf = (handle: ConnectionHandle): Promise<WindowCounts> => {
  const presents = Object.fromEntries(handle.topology.primaries().map(({ id }) => [id, '']));
  const consent = { by: 'x', at: 0, auditId: 'x', presents };
  const { catalog } = test.ctx;
  return takeWindow(
    { handle, store: store(), catalog, consent },
    { ms: 300, measure: async () => exactly(0.1) },
  );
};

it('counts two primaries at once without a residual, with flags that are restored on both', async () => {
  const servers = await Promise.all([startRedis(), startRedis()]);
  const primaries = primariesAt(
    test.handle.config,
    servers.map(({ url }) => url),
  );
  closing.push(...servers.map((server) => () => server.stop()), () => primaries.close());
  await Promise.all(primaries.nodes.map((node) => node.client('read').ready()));
  const ends = await Promise.all([
    application(servers[0]!.port, 'author:id:1', 'author:id:2'),
    application(servers[1]!.port, 'topic:id:1', 'topic:id:2'),
  ]);
  const counts = await windowOf(primaries.handle);
  await Promise.all(ends.map((end) => end()));
  const { 'discours.author-id': first, 'discours.topic-id': second, ...others } = counts.families;
  expect([others, counts.notAttributed, counts.cutShort]).toEqual([{}, { hits: 0, misses: 0 }, null]);
  for (const one of [first!, second!]) {
    expect(one.hits).toBeGreaterThan(10);
    // The window may begin or end between the two reads of a round.
    expect(Math.abs(one.hits - one.misses)).toBeLessThanOrEqual(1);
  }
  expect(counts.total).toEqual({ hits: first!.hits + second!.hits, misses: first!.misses + second!.misses });
  for (const node of primaries.nodes) expect(await readFlags(node.client('read').redis)).toBe('');
});

it('hears the misses of a new primary', async () => {
  const watched = await startSentinels();
  const handle = behindSentinels(test.handle.config, watched);
  closing.push(
    () => watched.stop(),
    () => handle.topology.close(),
  );
  await handle.topology.primaries()[0]!.client('read').ready();
  const next = await watched.failover();
  await expect
    .poll(() => handle.topology.primaries()[0]!.id, { timeout: 5000 })
    .toBe(`127.0.0.1:${next.port}`);
  const end = await application(next.port, 'author:id:1', 'author:id:2');
  const counts = await windowOf(handle);
  await end();
  expect(counts.families['discours.author-id']!.misses).toBeGreaterThan(10);
  expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
});

it('counts the three primaries of a cluster beside reads of its own, three times without a residual', async () => {
  const cluster = await startCluster({ primaries: 3 });
  const { config } = test.handle;
  const handle = openConnection({ ...config, url: null, cluster: { nodes: cluster.nodes, natMap: null } });
  closing.push(
    () => cluster.stop(),
    () => handle.topology.close(),
  );
  await handle.topology.known();
  await Promise.all(handle.topology.primaries().map((node) => node.client('read').ready()));
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  /** Two names of each kind that a server has. */
  const ends = await Promise.all(
    (await cluster.primaries()).map(async (server) => {
      const here = await Promise.all(
        numbers.map(async (n) => ((await cluster.serverOf(`author:id:${n}`)) === server ? n : null)),
      );
      const [found, missed] = here.filter((n) => n !== null) as [number, number];
      return application(server.port, `author:id:${found}`, `author:id:${missed}`);
    }),
  );
  let isOver = false;
  const keys = numbers.map((n) => Buffer.from(`topic:id:${n}`));
  const own = (async () => {
    while (!isOver) await handle.reader.readMany(keys.map((key) => ['TYPE', key] as const));
  })();
  const windows: WindowCounts[] = [];
  for (let run = 0; run < 3; run++) windows.push(await windowOf(handle));
  isOver = true;
  await own;
  await Promise.all(ends.map((end) => end()));
  for (const { families, notAttributed, cutShort, total } of windows) {
    expect([notAttributed, cutShort]).toEqual([{ hits: 0, misses: 0 }, null]);
    expect(Object.keys(families)).toEqual(['discours.author-id']);
    const { hits, misses } = families['discours.author-id']!;
    expect(total).toEqual({ hits, misses });
    expect(hits).toBeGreaterThan(30);
    // The window of each primary may begin or end between the two reads of a round.
    expect(Math.abs(hits - misses)).toBeLessThanOrEqual(3);
  }
});
