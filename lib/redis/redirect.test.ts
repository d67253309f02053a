import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import type { RedisServer } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { readScript } from './read-script';
import { elsewhere } from './redirect';

let cluster: Cluster;
let test: TestContext;

beforeAll(async () => {
  cluster = await startCluster({ primaries: 2 });
  test = await testContext({ nodes: cluster.nodes });
});
beforeEach(async () => {
  await test.empty();
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const bytes = (key: string): Buffer => Buffer.from(key);

/** Keys of one slot, half of which are on the node that takes it over: `moved` there, `left` on the other. */
const halfMoved = async (tag: string, count = 10) => {
  const keys = Array.from({ length: count }, (_, i) => `{${tag}}:${i}`);
  for (const key of keys) await test.redis.set(key, `value of ${key}`);
  const slot = cluster.slotOf(keys[0]!);
  const from = await cluster.serverOf(keys[0]!);
  const to = (await cluster.primaries()).find((server) => server !== from)!;
  await cluster.beginMove(slot, to);
  await cluster.moveKeys(slot, count / 2);
  return { keys, slot, from, to };
};

const ownHits = () => test.handle.topology.primaries().map(({ own }) => own.hits);

const hitsOf = async (server: RedisServer): Promise<number> => {
  const client = new Redis(server.url);
  const [, hits] = /keyspace_hits:(\d+)/.exec(await client.info('stats'))!;
  client.disconnect();
  return Number(hits);
};

it('reads and writes on the node that has taken a slot over, and counts there what it looked up', async () => {
  await test.redis.set('{moved}', 'x');
  await test.handle.reader.read(['TYPE', bytes('{moved}')]);
  const [slot, from] = [cluster.slotOf('{moved}'), await cluster.serverOf('{moved}')];
  const to = (await cluster.primaries()).find((server) => server !== from)!;
  await cluster.moveSlots([slot], to);
  const nodes = test.handle.topology.primaries();
  const at = nodes.findIndex(({ id }) => id.endsWith(`:${to.port}`));
  const [ownBefore, before] = [ownHits(), await hitsOf(to)];
  expect(await test.handle.reader.read(['TYPE', bytes('{moved}')])).toBe('string');
  expect(ownHits()[at]! - ownBefore[at]!).toBe(1);
  expect((await hitsOf(to)) - before).toBe(1);
  expect(await test.ctx.writer.compareAndSet(bytes('{moved}'), bytes('x'), bytes('y'))).toEqual({ ok: true });
  expect(await test.redis.get('{moved}')).toBe('y');
});

it('reads each key of a slot that is on its way', async () => {
  const { keys, slot } = await halfMoved('reads');
  const values = await test.handle.reader.getStrings(keys.map(bytes));
  expect(values.map((value) => String((value as { bytes: Buffer }).bytes))).toEqual(
    keys.map((key) => `value of ${key}`),
  );
  for (const key of keys) {
    const state = await readScript(test.handle, 'key-state', [bytes(key)], []);
    expect(state!.slice(0, 2)).toEqual([bytes('string'), `value of ${key}`.length]);
  }
  await cluster.endMove(slot);
});

it('changes each key of a slot that is on its way, once', async () => {
  const { keys, slot } = await halfMoved('changes');
  const { writer } = test.ctx;
  for (const key of keys)
    expect(await writer.compareAndSet(bytes(key), bytes(`value of ${key}`), bytes('new'))).toEqual({
      ok: true,
    });
  expect(await writer.unlink(keys.slice(0, 9).map(bytes))).toBe(9);
  await cluster.endMove(slot);
  expect(await test.handle.reader.size()).toBe(1);
  expect(await test.redis.get(keys[9]!)).toBe('new');
});

it('copies and deletes a batch that is partly elsewhere', async () => {
  const { keys, slot } = await halfMoved('batch');
  const shot = await snapshot(test.ctx.writer, [...keys, '{batch}:absent'].map(bytes));
  expect(shot.there.map(({ key }) => String(key)).sort()).toEqual(keys);
  expect(shot.gone.map(String)).toEqual(['{batch}:absent']);
  await test.redis.set(keys[0]!, 'changed');
  const done = await unlinkUnchanged(test.ctx.writer, shot);
  expect([done.deleted, done.changed.map(String)]).toEqual([9, [keys[0]]]);
  await cluster.endMove(slot);
  expect(await test.handle.reader.size()).toBe(1);
});

it('waits for keys that must be together until all of them have arrived', async () => {
  const { keys, slot } = await halfMoved('together');
  const edits = keys.map((key) => ({
    key: bytes(key),
    expected: { type: 'string', length: `value of ${key}`.length, bytes: bytes(`value of ${key}`) },
    change: { set: bytes('new') },
  }));
  const applied = test.ctx.writer.applyAll(edits);
  await cluster.endMove(slot);
  expect(await applied).toEqual({ ok: true });
  expect(await Promise.all(keys.map((key) => test.redis.get(key)))).toEqual(keys.map(() => 'new'));
});

it('says that keys are being moved when they do not arrive', { tags: 'long' }, async () => {
  const { keys, slot } = await halfMoved('never');
  const edits = keys.map((key) => ({ key: bytes(key), expected: null, change: 'keep' as const }));
  await expect(test.ctx.writer.applyAll(edits)).rejects.toMatchObject({ status: 503, code: 'moved' });
  await cluster.endMove(slot);
});

it('waits once for a cluster that is down, not for each read; a change waits', { tags: 'long' }, async () => {
  const { topology } = test.handle;
  const isDown = new Error('CLUSTERDOWN The cluster is down');
  const callsOf = async (purpose: 'read' | 'write', answers: readonly unknown[] = []): Promise<number> => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      if (answers.length >= calls) return answers[calls - 1];
      throw isDown;
    };
    const asked = elsewhere({ id: 'main', topology }, purpose, bytes('key'), isDown, call);
    if (answers.length === 0) await expect(asked).rejects.toBe(isDown);
    else await asked;
    return calls;
  };
  expect(await callsOf('read')).toBeGreaterThan(1);
  expect(await callsOf('read')).toBe(0);
  expect(await callsOf('write', ['OK'])).toBe(1);
});
