import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Result } from '@/lib/contract';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { runLineCommand } from './run';
import type { commandLineContracts } from './schema';

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

type Ran = Result<typeof commandLineContracts.run>;
const run = (line: string, more: object = {}): Promise<Ran> =>
  runCommand(runLineCommand, {
    actor: testActor(),
    requestId: 'r',
    connection: test.handle,
    raw: { line, ...more },
  });
const undo = async ({ auditId }: Ran) =>
  runLineCommand.undo!(test.as({ auditId: 'undo' }), (await readUndo(test.ctx.store, auditId!))!);
const refusal = async (line: string) => (await problemOf(run(line))).message;

it('says beforehand that keys are in several slots, and what to do instead', async () => {
  await test.redis.set('shop:a', '1');
  for (const line of [
    'MGET shop:a shop:b',
    'DEL shop:a shop:b',
    'SINTER shop:a shop:b',
    'MSET shop:a 2 shop:b 2',
  ])
    expect(await refusal(line)).toBe(
      'Its keys are in several slots of the cluster, and a command has keys of one slot only. Type a line for each, or choose names with the same {hash tag}.',
    );
  expect(await refusal('RENAME shop:a shop:b')).toContain('Open the key and rename it there');
  expect(await problemOf(run('DEL shop:a shop:b', { dryRun: true }))).toMatchObject({
    code: 'command_refused',
    extensions: { page: 'keys' },
  });
  expect(await test.redis.get('shop:a')).toBe('1');
});

it('refuses what a cluster would answer for one node only', async () => {
  for (const line of ['DBSIZE', 'SCAN 0', 'RANDOMKEY'])
    expect(await refusal(line)).toContain('of one node of the cluster');
});

it('runs lines of one slot on whichever node it is, with undo', async () => {
  for (const tag of ['{a}', '{b}', '{c}', '{d}']) {
    await test.redis.set(`${tag}:1`, 'one');
    await test.redis.set(`${tag}:2`, 'two');
    expect((await run(`MGET ${tag}:1 ${tag}:2`)).reply.flatMap(({ text }) => text ?? [])).toEqual([
      'one',
      'two',
    ]);
    const deleted = await run(`DEL ${tag}:1 ${tag}:2`);
    expect(await test.redis.exists(`${tag}:1`)).toBe(0);
    expect(await undo(deleted)).toEqual({ undone: 2, conflicts: [] });
    expect(await test.redis.get(`${tag}:2`)).toBe('two');
    const renamed = await run(`RENAME ${tag}:1 ${tag}:3`);
    expect(await test.redis.get(`${tag}:3`)).toBe('one');
    expect(await undo(renamed)).toEqual({ undone: 2, conflicts: [] });
  }
});

it('reads, writes and undoes while the slot is being moved; a line whose keys are apart changes nothing', async () => {
  const keys = Array.from({ length: 6 }, (_, i) => `{shop}:${i}`);
  for (const key of keys) await test.redis.set(key, 'old');
  const slot = cluster.slotOf('shop');
  const source = await cluster.serverOf('shop');
  const target = (await cluster.primaries()).find((server) => server !== source)!;
  await cluster.beginMove(slot, target);
  await cluster.moveKeys(slot, 3);
  for (const key of keys) {
    expect((await run(`GET ${key}`)).reply[0]!.text).toBe('old');
    const changed = await run(`SET ${key} new`);
    expect((await run(`GET ${key}`)).reply[0]!.text).toBe('new');
    expect(await undo(changed)).toEqual({ undone: 1, conflicts: [] });
  }
  const apart = await problemOf(run(`DEL ${keys.join(' ')}`));
  expect(apart).toMatchObject({ code: 'moved' });
  await cluster.endMove(slot);
  for (const key of keys) expect(await test.redis.get(key)).toBe('old');
  await run(`DEL ${keys.join(' ')}`);
  expect(await test.redis.exists(keys[0]!)).toBe(0);
});
