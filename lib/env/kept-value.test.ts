import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { connections } from '@/lib/redis/connections';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { createVariableCommand, renameVariableCommand, setVariableCommand } from './commands';
import { variableHistory } from './history';
import { listVariables } from './reads';
import { envContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([setVariableCommand, createVariableCommand, renameVariableCommand]);
});
beforeEach(async () => {
  await test.empty();
  connections().set('main', test.handle);
});
afterAll(() => test.close());

const run = (command: AnyCommand, raw: object, isOfConsole = false) =>
  runCommand(command as never, {
    actor: testActor(),
    requestId: randomUUID(),
    connection: isOfConsole ? null : test.handle,
    raw,
  }) as Promise<{ auditId: string }>;

const etagOf = async (name: string) => {
  const { groups } = await listVariables(test.ctx, {});
  return groups.flatMap(({ variables }) => variables).find((each) => each.name === name)!.etag;
};
const set = async (name: string, value: object) =>
  run(setVariableCommand, { name, etag: await etagOf(name), ...value });
const stored = (name: string) => test.redis.get(`env_vars:${name}`);
const keptIn = async (name: string) =>
  envContracts.history.result
    .parse(await variableHistory(test.ctx, { name }))
    .items.map(({ action, kept }) => [action, kept]);

it('restores an older secret without a word of it, and undoes that', async () => {
  await run(createVariableCommand, { name: 'JWT_SECRET', value: 'first-secret' });
  const second = await set('JWT_SECRET', { value: 'second-secret' });
  await set('JWT_SECRET', { value: 'third-secret' });
  expect(await keptIn('JWT_SECRET')).toEqual([
    ['env.set', true],
    ['env.set', true],
    ['env.create', false],
  ]);
  const done = await set('JWT_SECRET', { valueBefore: second.auditId });
  expect(await stored('JWT_SECRET')).toBe('first-secret');
  const { items } = await variableHistory(test.ctx, { name: 'JWT_SECRET' });
  expect(JSON.stringify([done, items])).not.toMatch(/(first|second|third)-secret/);
  await run(undoChange, { auditId: done.auditId }, true);
  expect(await stored('JWT_SECRET')).toBe('third-secret');
});

it('keeps a value for the variable whose it was, and until that change is undone', async () => {
  await run(createVariableCommand, { name: 'JWT_SECRET', value: 'a' });
  await run(createVariableCommand, { name: 'NOTE', value: 'x' });
  const changed = await set('JWT_SECRET', { value: 'b' });
  const valueBefore = changed.auditId;
  expect((await problemOf(set('NOTE', { valueBefore }))).status).toBe(409);
  expect((await problemOf(set('NOTE', { valueBefore, value: 'y' }))).status).toBe(400);
  expect((await problemOf(set('NOTE', { valueBefore: 'none' }))).status).toBe(409);
  await run(undoChange, { auditId: valueBefore }, true);
  expect((await problemOf(set('JWT_SECRET', { valueBefore }))).status).toBe(409);
  expect((await keptIn('JWT_SECRET')).map(([, kept]) => kept)).toEqual([false, false, false]);
  expect([await stored('NOTE'), await stored('JWT_SECRET')]).toEqual(['x', 'a']);
});

it('does not offer under a new name what was secret under the old one', async () => {
  await run(createVariableCommand, { name: 'JWT_SECRET', value: 'a' });
  const { auditId } = await set('JWT_SECRET', { value: 'b' });
  const etag = await etagOf('JWT_SECRET');
  await run(renameVariableCommand, { name: 'JWT_SECRET', newName: 'PLAIN', etag, anyway: true });
  expect((await keptIn('PLAIN')).map(([, kept]) => kept)).toEqual([false, false, false]);
  expect((await problemOf(set('PLAIN', { valueBefore: auditId }))).status).toBe(409);
});
