import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { connections } from '@/lib/redis/connections';
import { changeFailureOf, unavailable } from '@/lib/redis/failure';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { applyEach } from './apart';
import { renameVariableCommand } from './commands';
import { importVariablesCommand } from './import';
import { listVariables } from './reads';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ apps: ['discours'], nodes: cluster.nodes });
  registerUndoable([importVariablesCommand, renameVariableCommand]);
}, 40_000);
beforeEach(async () => {
  await test.empty();
  connections().set('main', test.handle);
  for (const name of NAMES) await test.redis.set(keyOf(name), 'before');
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const NAMES = Array.from({ length: 20 }, (_, n) => `NAME_${n}`);
const keyOf = (name: string): string => `env_vars:${name}`;

const run = (command: AnyCommand, raw: object) => {
  const connection = command === (undoChange as AnyCommand) ? null : test.handle;
  const call = { actor: testActor(), requestId: randomUUID(), connection, raw };
  return runCommand(command as never, call) as Promise<{ auditId: string; undone?: number }>;
};

const values = async (names: readonly string[]): Promise<(string | null)[]> =>
  Promise.all(names.map((name) => test.redis.get(keyOf(name))));

it('imports variables of many slots, and undoes it', async () => {
  await test.redis.expire(keyOf('NAME_1'), 500);
  const all = [...NAMES, 'NEW_1', 'NEW_2'];
  const text = all.map((name) => `${name}=after`).join('\n');
  const { auditId } = await run(importVariablesCommand, { text });
  expect(await values(all)).toEqual(all.map(() => 'after'));
  expect(await test.redis.ttl(keyOf('NAME_1'))).toBeGreaterThan(490);
  expect(await run(undoChange, { auditId })).toMatchObject({ undone: all.length, conflicts: [] });
  expect(await values(all)).toEqual([...NAMES.map(() => 'before'), null, null]);
});

const edit = (name: string, expected: string) => ({
  key: Buffer.from(keyOf(name)),
  expected: { type: 'string', length: expected.length, bytes: Buffer.from(expected) },
  change: { set: Buffer.from('after') },
});

it('changes nothing where one variable is not as it was read', async () => {
  const edits = NAMES.map((name) => edit(name, name === 'NAME_7' ? 'other' : 'before'));
  expect(await applyEach(test.ctx, edits)).toEqual({ ok: false, index: 7, present: 'string' });
  expect(await values(NAMES)).toEqual(NAMES.map(() => 'before'));
});

/** `then` happens before the call after so many others. */
const interruptedAfter = (others: number, then: () => Promise<unknown>) => {
  let calls = 0;
  const applyAll: typeof test.ctx.writer.applyAll = async (some) => {
    calls += 1;
    if (calls === others + 1) await then();
    return test.ctx.writer.applyAll(some);
  };
  return { ...test.ctx, writer: { ...test.ctx.writer, applyAll } };
};

/** All were checked, and the first five changed. */
const interrupted = (then: () => Promise<unknown>) => interruptedAfter(NAMES.length + 5, then);
const failureOf = (error: unknown) =>
  problemOf(
    applyEach(
      interrupted(() => Promise.reject(error)),
      NAMES.map((name) => edit(name, 'before')),
    ),
  );

it('changes back what it changed before a variable that somebody changes meanwhile', async () => {
  const edits = NAMES.map((name) => edit(name, 'before'));
  const ctx = interrupted(() => test.redis.set(keyOf('NAME_5'), 'theirs'));
  expect(await applyEach(ctx, edits)).toEqual({ ok: false, index: 5, present: 'string' });
  expect(await values(NAMES)).toEqual(NAMES.map((name) => (name === 'NAME_5' ? 'theirs' : 'before')));
});

it('changes back what it changed before a node that does not answer', async () => {
  const down = unavailable('main', new Error('Connection is closed.'));
  expect(await failureOf(down)).toBe(down);
  expect(await values(NAMES)).toEqual(NAMES.map(() => 'before'));
});

it('says how many stay changed where one may have been changed, or nothing can be changed back', async () => {
  const edits = NAMES.map((name) => edit(name, 'before'));
  const lost = changeFailureOf('main', new Error('Connection is closed.'));
  const failed = await failureOf(lost);
  expect([failed.extensions.inDoubt, failed.message]).toEqual([
    true,
    expect.stringContaining('Changed before: 5 of 20 variables.'),
  ]);
  const after = NAMES.map((_, n) => (n < 5 ? 'after' : 'before'));
  expect(await values(NAMES)).toEqual(after);

  const others = edits.slice(5).map((each, n) => (n < 10 ? each : { ...each, change: 'delete' as const }));
  const down = unavailable('main', new Error('Connection is closed.'));
  const gone = async () => {
    for (const name of NAMES.slice(5, 10)) await test.redis.set(keyOf(name), 'theirs');
    throw down;
  };
  expect(await problemOf(applyEach(interruptedAfter(others.length + 5, gone), others))).toMatchObject({
    message: expect.stringContaining('Changed before: 5 of 15 variables.'),
  });
});

it('renames into another slot with the TTL, never over a variable, and undoes it', async () => {
  await test.redis.expire(keyOf('NAME_1'), 500);
  const etagOf = async (name: string): Promise<string> => {
    const { groups } = await listVariables(test.ctx, {});
    return groups.flatMap(({ variables }) => variables).find((each) => each.name === name)!.etag;
  };
  const rename = async (newName: string) =>
    run(renameVariableCommand, { name: 'NAME_1', newName, etag: await etagOf('NAME_1') });
  expect(cluster.slotOf(keyOf('NAME_1'))).not.toBe(cluster.slotOf(keyOf('RENAMED')));
  await expect(rename('NAME_2')).rejects.toThrow('already exists');
  expect(await values(['NAME_1', 'NAME_2'])).toEqual(['before', 'before']);
  const { auditId } = await rename('RENAMED');
  expect(await values(['NAME_1', 'RENAMED'])).toEqual([null, 'before']);
  expect(await test.redis.ttl(keyOf('RENAMED'))).toBeGreaterThan(490);
  expect(await run(undoChange, { auditId })).toMatchObject({ undone: 1, conflicts: [] });
  expect(await values(['NAME_1', 'RENAMED'])).toEqual(['before', null]);
});
