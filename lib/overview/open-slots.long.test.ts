import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { getOverview } from './overview';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ nodes: cluster.nodes });
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const found = async (at: string) => {
  forget('open slots');
  forget('overview sizes', 'overview sessions');
  const now = () => Date.parse(at);
  const { attention } = await getOverview(test.as({ actor: testActor('viewer'), now }));
  return attention.filter(({ id }) => id.startsWith('open-slots'));
};

it('names slots that stay open, between which nodes, since when, and what to do', async () => {
  expect(await found('2026-01-01T00:00:00Z')).toEqual([]);
  const slot = cluster.slotOf('{left}');
  const { port } = await cluster.serverOf('{left}');
  const guest = await cluster.addNode();
  await cluster.beginMove(slot, guest);
  const [first, ...others] = await found('2026-01-01T00:01:00Z');
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    text: `Slot ${slot} is open, from 127.0.0.1:${port} to 127.0.0.1:${guest.port}`,
    detail: expect.stringMatching(`^First seen 2026-01-01 00:01:00 UTC.*--cluster fix 127.0.0.1:${port}, or`),
  });
  expect(await found('2026-01-01T01:00:00Z')).toEqual([first]);
  await cluster.endMove(slot);
  expect(await found('2026-01-01T02:00:00Z')).toEqual([]);
});
