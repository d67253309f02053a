import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '@/lib/errors';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { serverClient } from '@/scripts/testing/server-client';
import { getOverview } from './overview';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster();
  test = await testContext({ apps: ['discours', 'hawk'], nodes: cluster.nodes });
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

it('shows the figures of the primaries that answer, and is a 503 where none does', async () => {
  await test.redis.sadd('DisabledProjectsSet', 'p1', 'p2');
  expect(await getOverview(test.ctx)).toMatchObject({ blockedProjects: 2, blacklistedIps: 0 });
  const [first, ...others] = cluster.servers;
  const asked = await serverClient(others[0]!, 'application');
  await first!.stop();
  // They refuse every key then.
  await expect.poll(() => asked.get('x').catch(String), { timeout: 20_000 }).toContain('CLUSTERDOWN');
  asked.disconnect();
  forget('overview sizes', 'overview sessions');
  const overview = await getOverview(test.ctx);
  expect(overview).toMatchObject({ blockedProjects: null, blacklistedIps: null, onlineUsers: null });
  for (const server of others) await server.stop();
  const answer = () => {
    forget('overview sizes', 'overview sessions');
    return getOverview(test.ctx).then(
      () => 'figures',
      ({ code }: Problem) => code,
    );
  };
  // Clients take a moment to see that a server has died.
  await expect.poll(answer, { timeout: 20_000 }).toBe('unreachable');
});
