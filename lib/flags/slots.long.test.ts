import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { setFlagCommand } from './commands';
import { listFlags } from './reads';
import { flagContracts } from './schema';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ apps: ['discours'], role: 'product', nodes: cluster.nodes });
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const KEYS = ['env_vars:FEATURE_A', 'env_vars:FEATURE_B'];

it('lists, sets and undoes flags while their slots are being moved', async () => {
  for (const key of KEYS) await test.redis.set(key, 'off');
  for (const key of KEYS) {
    const source = await cluster.serverOf(key);
    const target = (await cluster.primaries()).find((server) => server !== source)!;
    await cluster.beginMove(cluster.slotOf(key), target);
  }
  // One is still where it was, the other has arrived.
  await cluster.moveKeys(cluster.slotOf(KEYS[1]!), 1);
  const { items } = flagContracts.list.result.parse(await listFlags(test.ctx));
  const found = items.filter(({ name }) => name.startsWith('FEATURE_'));
  expect(found.map(({ enabled }) => enabled)).toEqual([false, false]);
  const call = { actor: testActor('product'), requestId: randomUUID(), connection: test.handle };
  for (const { name, etag } of found) {
    const done = await runCommand(setFlagCommand, { ...call, raw: { name, enabled: true, etag } });
    expect(await test.handle.reader.getString(Buffer.from(`env_vars:${name}`))).toMatchObject({
      bytes: Buffer.from('on'),
    });
    const kept = (await readUndo(test.ctx.store, 'auditId' in done ? done.auditId : ''))!;
    expect(await setFlagCommand.undo!(test.ctx, kept)).toEqual({ undone: 1, conflicts: [] });
  }
  for (const key of KEYS) await cluster.endMove(cluster.slotOf(key));
  for (const key of KEYS) expect(await test.redis.get(key)).toBe('off');
});
