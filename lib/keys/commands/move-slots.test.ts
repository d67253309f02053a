import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand, Command } from '@/lib/command/define';
import { keyIdOf } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Contract } from '@/lib/contract';
import { readEtag } from '@/lib/key-values/etag';
import { contentArg, look, NOTHING_ELSE } from '@/lib/key-values/look';
import { moveKey } from '@/lib/snapshots/move-key';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { clientOf } from '@/scripts/testing/cluster-client';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf } from '@/scripts/testing/this-redis';
import { duplicateKey, renameKey } from './move';
import { setKeyTtl } from './ttl';
import { updateKey } from './update';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ apps: ['discours'], nodes: cluster.nodes });
});
beforeEach(() => test.empty());
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const send = <C extends Contract>(command: Command<C>, raw: object) =>
  runCommand(command, { actor: testActor('admin'), requestId: randomUUID(), connection: test.handle, raw });
const of = async (key: string) => ({
  keyId: keyIdOf(test.ctx, Buffer.from(key)),
  etag: (await readEtag(test.ctx, Buffer.from(key))) ?? 'none',
});
const undo = async (command: unknown, { auditId }: { auditId: string }) =>
  (command as AnyCommand & Command).undo!(test.as({}), (await readUndo(test.ctx.store, auditId))!);
const named = (name: string) => ({ name: { text: name } });

/** In another slot than `shop:a`, on another node. */
const [FROM, TO] = ['shop:a', 'shop:b'];
const SAME_SLOT = '{shop:a}:b';

const fill = {
  string: () => test.redis.set(FROM, 'value'),
  hash: () => test.redis.hset(FROM, Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`${i}`, 'v']))),
  list: () => test.redis.rpush(FROM, 'a', 'b'),
  set: () => test.redis.sadd(FROM, ...Array.from({ length: 900 }, (_, i) => `member ${i}`)),
  zset: () => test.redis.zadd(FROM, 1.5, 'a'),
  stream: () => test.redis.call('XADD', FROM, '5-1', 'f', 'v'),
};

it('has the names in different slots of different nodes', async () => {
  expect(await cluster.serverOf(FROM)).not.toBe(await cluster.serverOf(TO));
  expect(cluster.slotOf(FROM)).toBe(cluster.slotOf(SAME_SLOT));
});

it.each(Object.keys(fill) as (keyof typeof fill)[])(
  'renames a %s into another slot with its TTL, and undo renames it back',
  async (type) => {
    await fill[type]();
    await test.redis.pexpire(FROM, 900_000);
    const before = [await readEtag(test.ctx, Buffer.from(FROM)), await expiryOf(test.redis, FROM)];
    const done = await send(renameKey, { ...(await of(FROM)), ...named(TO) });
    expect(await test.redis.exists(FROM)).toBe(0);
    expect(await test.redis.type(TO)).toBe(type);
    expect(await expiryOf(test.redis, TO)).toBe(before[1]);
    const [entry] = (await listEntries(test.ctx.store)).items;
    expect(entry).toMatchObject({ after: { oneStep: false } });
    expect(await undo(renameKey, done)).toEqual({ undone: 1, conflicts: [] });
    expect([await readEtag(test.ctx, Buffer.from(FROM)), await expiryOf(test.redis, FROM)]).toEqual(before);
    expect(await test.redis.exists(TO)).toBe(0);
  },
);

it('renames within a slot in one step', async () => {
  await test.redis.set(FROM, 'value');
  await send(renameKey, { ...(await of(FROM)), ...named(SAME_SLOT) });
  expect(await test.redis.get(SAME_SLOT)).toBe('value');
  const [entry] = (await listEntries(test.ctx.store)).items;
  expect(entry!.after).not.toHaveProperty('oneStep');
});

it('overwrites nothing, and copies with the TTL', async () => {
  await test.redis.set(FROM, 'value', 'EX', 900);
  await test.redis.set(TO, 'taken');
  const body = { ...(await of(FROM)), ...named(TO) };
  expect(await problemOf(send(renameKey, body))).toMatchObject({ code: 'exists' });
  expect(await test.redis.mget(FROM)).toEqual(['value']);
  await test.redis.del(TO);
  await send(duplicateKey, body);
  expect(await test.redis.get(TO)).toBe('value');
  expect(await expiryOf(test.redis, TO)).toBe(await expiryOf(test.redis, FROM));
});

it('says that both exist where the old key cannot be deleted, and the same again is refused truthfully', async () => {
  await test.redis.set(FROM, 'value');
  const server = await cluster.serverOf(FROM);
  const direct = clientOf(test, server);
  await direct.call('ACL', 'SETUSER', 'default', '-unlink');
  const body = { ...(await of(FROM)), ...named(TO) };
  const refused = await problemOf(send(renameKey, body));
  expect(refused).toMatchObject({ code: 'not_permitted' });
  expect(refused.message).toContain('copied and not deleted: both exist now');
  expect([await test.redis.get(FROM), await test.redis.get(TO)]).toEqual(['value', 'value']);
  await direct.call('ACL', 'SETUSER', 'default', '+unlink');
  expect(await problemOf(send(renameKey, body))).toMatchObject({ code: 'exists' });
});

it('deletes the copy again where the application changes the key in between', async () => {
  await test.redis.set(FROM, 'value');
  const { writer } = test.ctx;
  const raw = { from: Buffer.from(FROM), to: Buffer.from(TO) };
  const ctx = {
    ...test.ctx,
    writer: {
      ...writer,
      run: async (...call: Parameters<typeof writer.run>) => {
        if (call[0] === 'move-step' && call[2][0] === 'delete' && call[1][0]!.equals(raw.from))
          await test.redis.set(FROM, 'newer');
        return writer.run(...call);
      },
    },
  };
  const { state } = await look(ctx, raw.from, NOTHING_ELSE);
  const move = { ...raw, type: state.type, content: contentArg(state) };
  expect(await moveKey(ctx, 'rename', move)).toBe('changed');
  expect([await test.redis.get(FROM), await test.redis.get(TO)]).toEqual(['newer', null]);
});

it('edits, expires and renames keys of a slot that is being moved', { tags: ['long'] }, async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `{shop:a}:${i}`);
  for (const key of keys) await test.redis.set(key, 'old');
  const slot = cluster.slotOf(FROM);
  const source = await cluster.serverOf(FROM);
  const target = (await cluster.primaries()).find((server) => server !== source)!;
  await cluster.beginMove(slot, target);
  await cluster.moveKeys(slot, 10);
  for (const [i, key] of keys.entries()) {
    await send(updateKey, { ...(await of(key)), edit: { op: 'setString', value: { text: `new ${i}` } } });
    await send(setKeyTtl, { ...(await of(key)), ttlSeconds: 900 });
  }
  await send(renameKey, { ...(await of(keys[0]!)), ...named(TO) });
  await send(renameKey, { ...(await of(keys[19]!)), ...named('shop:c') });
  await cluster.endMove(slot);
  expect(await test.redis.get(TO)).toBe('new 0');
  expect(await test.redis.get('shop:c')).toBe('new 19');
  for (const [i, key] of keys.slice(1, 19).entries()) expect(await test.redis.get(key)).toBe(`new ${i + 1}`);
  expect(await test.redis.exists(keys[0]!)).toBe(0);
  expect(await test.redis.exists(keys[19]!)).toBe(0);
});
