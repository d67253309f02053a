import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { connections } from '@/lib/redis/connections';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { backUpDaily, backUpVariables } from './backup';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from './commands';
import { variableHistory } from './history';
import { importVariablesCommand } from './import';
import { exportVariablesCommand, revealVariable } from './plaintext';
import { listVariables } from './reads';
import { restoreVariablesCommand } from './restore';
import { listBackups } from './stored-backups';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  connections().set('main', test.handle);
  registerUndoable([setVariableCommand, createVariableCommand, deleteVariableCommand, renameVariableCommand]);
  registerUndoable([importVariablesCommand, restoreVariablesCommand]);
});
afterAll(() => test.close());

/** Secret by name, by shape, in bytes that are no text, and in a place where no secret belongs. */
const byName = (n: number) => `swordfish-${n}-by-name`;
const byShape = (n: number) => `sk_live_4eC39HqLyjWDarj${n}tT1zdp7dc`;
const PEM =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM\n-----END RSA PRIVATE KEY-----';
const BYTES = Buffer.from('8f3ac1d2e4b5067798a9bacbdcedfe0f1f2e3d4c5b6a7988', 'hex');
const PASSPHRASE = 'open sesame open sesame';

/** Everything the console says, but for what was asked to be revealed. */
const outputs: string[] = [];

const run = async (command: AnyCommand, raw: object, scope: 'main' | null = 'main') => {
  try {
    const done = await runCommand(command as never, {
      actor: testActor(),
      requestId: randomUUID(),
      connection: scope && test.handle,
      raw,
    });
    const answer = command.contract.result.parse(done) as Record<string, string>;
    if (!command.contract.id.match(/reveal|export/)) outputs.push(JSON.stringify(answer));
    return answer;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    outputs.push(JSON.stringify(error.toDocument('r')));
    return {} as Record<string, string>;
  }
};

const list = async () => {
  const { groups } = await listVariables(test.ctx, {});
  outputs.push(JSON.stringify(groups));
  return new Map(groups.flatMap(({ variables }) => variables.map(({ name, etag }) => [name, etag])));
};

/** Every key and value of the console's store as text. */
const storeText = async (): Promise<string> => {
  const parts: string[] = [];
  for (const key of await test.storeRedis.keys('*')) {
    const type = await test.storeRedis.type(key);
    if (type === 'string') parts.push(key, (await test.storeRedis.getBuffer(key))!.toString('latin1'));
    else if (type === 'hash') parts.push(key, ...Object.entries(await test.storeRedis.hgetall(key)).flat());
    else if (type === 'zset') parts.push(key, ...(await test.storeRedis.zrange(key, '0', '-1')));
    else parts.push(key, JSON.stringify(await test.storeRedis.xrange(key, '-', '+')));
  }
  return parts.join('\n');
};

it('no secret is in any response, error, audit entry or stored record', async () => {
  await test.redis.set('env_vars:BINARY', BYTES);
  await test.redis.set('env_vars:CERTIFICATE', PEM);
  const env = async (name: string) => ({ name, etag: (await list()).get(name) ?? 'none' });
  await run(createVariableCommand, { name: 'JWT_SECRET', value: byName(1), reason: 'new' });
  await run(createVariableCommand, { name: 'JWT_SECRET', value: byName(2) });
  await run(createVariableCommand, { name: 'PAYMENTS', value: byShape(1) });
  await run(createVariableCommand, { name: 'DB_URL', value: `db://u:${byName(3)}@h/d` });
  const { auditId } = await run(setVariableCommand, { ...(await env('JWT_SECRET')), value: byName(4) });
  await run(setVariableCommand, { name: 'JWT_SECRET', etag: 'stale', value: byName(5) });
  await run(setVariableCommand, { ...(await env('JWT_SECRET')), value: `${byName(6)}\0` });
  await run(undoChange, { auditId }, null);
  await run(createVariableCommand, { name: 'SMTP_PORT', value: byName(7) });
  await run(setVariableCommand, { ...(await env('PAYMENTS')), value: 'off' });
  await run(setVariableCommand, { ...(await env('PAYMENTS')), value: byShape(2) });
  await run(renameVariableCommand, { ...(await env('JWT_SECRET')), newName: 'PLAIN' });
  await run(renameVariableCommand, { ...(await env('JWT_SECRET')), newName: 'JWT_KEY' });
  const gone = await run(deleteVariableCommand, await env('JWT_KEY'));
  await run(undoChange, { auditId: gone.auditId }, null);
  for (const name of ['JWT_KEY', 'PAYMENTS', 'DB_URL', 'BINARY']) await run(revealVariable, { name });
  const text = `JWT_KEY=${byName(8)}\nPAYMENTS='${byShape(3)}'\nOTHER_TOKEN="${byName(9)}"\n`;
  const torn = `${text}${byName(1)}\n${byShape(4)} x=1\nA="${byName(2)}\n`;
  await run(importVariablesCommand, { text, dryRun: true });
  await run(importVariablesCommand, { text: torn, dryRun: true });
  await run(importVariablesCommand, { text: torn });
  const imported = await run(importVariablesCommand, { text });
  await run(exportVariablesCommand, {});
  await run(exportVariablesCommand, { secrets: false });
  await backUpDaily(test.ctx.store, [test.handle]);
  const { file } = await run(backUpVariables, { passphrase: PASSPHRASE });
  await run(undoChange, { auditId: imported.auditId }, null);
  await run(restoreVariablesCommand, { file, passphrase: 'wrong', dryRun: true });
  await run(restoreVariablesCommand, { file, passphrase: PASSPHRASE, dryRun: true });
  await run(restoreVariablesCommand, { file, passphrase: PASSPHRASE, deleteOthers: true });
  const { items } = await listBackups(test.ctx, { limit: 10 });
  outputs.push(JSON.stringify(items));
  await run(restoreVariablesCommand, { id: items.at(-1)!.id });
  for (const name of ['JWT_SECRET', 'JWT_KEY', 'PAYMENTS', 'DB_URL', 'BINARY', 'CERTIFICATE'])
    outputs.push(JSON.stringify(await variableHistory(test.ctx, { name })));
  await list();

  // Every step ran: a step that never ran could not have leaked.
  expect(await test.redis.get('env_vars:JWT_KEY')).toBe(byName(8));
  expect(outputs.length).toBeGreaterThan(35);
  const secrets = [
    ...Array.from({ length: 9 }, (_, i) => byName(i + 1)),
    ...Array.from({ length: 4 }, (_, i) => byShape(i + 1)),
    PEM.split('\n')[1]!,
    BYTES.toString('latin1'),
    PASSPHRASE,
  ];
  const store = await storeText();
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret, 'latin1').toString('base64').replace(/=+$/, '')]) {
      expect(outputs.filter((text) => text.includes(form))).toEqual([]);
      expect(store.includes(form), form).toBe(false);
    }
});
