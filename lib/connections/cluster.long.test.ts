import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireCapable } from '@/lib/command/capable';
import { parseInput } from '@/lib/command/validate';
import { listKeys } from '@/lib/keys/list';
import { keyContracts } from '@/lib/keys/schema';
import { openConnection } from '@/lib/redis/connections';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { serverClient } from '@/scripts/testing/server-client';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { describeCapabilities } from './capabilities';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 1 });
  test = await testContext({ apps: ['discours'], nodes: cluster.nodes });
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

it.skipIf(IS_REDIS_6)('needs to see slots that move, for whatever walks over the keys', async () => {
  const operator = await serverClient(cluster.servers[0]!, 'operator');
  await operator.call('ACL', 'SETUSER', 'limited', 'on', '>pw', '~*', '&*', '+@all', '-cluster|nodes');
  operator.disconnect();
  const connection = openConnection({ ...test.handle.config, username: 'limited', password: 'pw' });
  const ctx = { ...test.ctx, connection };
  const { features } = await describeCapabilities(ctx);
  const of = (wanted: string) => features.find(({ id }) => id === wanted);
  expect(of('keys')).toMatchObject({
    state: 'no',
    missing: ['CLUSTER NODES'],
    acl: '+cluster|nodes',
    reason: 'its user may not use CLUSTER NODES',
  });
  expect(of('key')).toMatchObject({ state: 'works' });
  // As it is without being asked beforehand.
  const failures = [requireCapable('keys.list', connection, ctx.catalog)];
  for (const failure of [...failures, listKeys(ctx, parseInput(keyContracts.list, {}))])
    expect(await problemOf(failure)).toMatchObject({ status: 503, code: 'not_permitted' });
  connection.topology.close();
});
