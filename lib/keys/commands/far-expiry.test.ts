import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AnyCommand, Command } from '@/lib/command/define';
import { keyIdOf } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { parseInput } from '@/lib/command/validate';
import type { Contract } from '@/lib/contract';
import { readEtag } from '@/lib/key-values/etag';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { getKey } from '../get';
import { keyContracts } from '../schema';
import { deleteKeyCommand } from './delete';
import { exportKeysCommand } from './file/export';
import { importKeysCommand } from './file/import';
import { duplicateKey, renameKey } from './move';
import { setKeyTtl } from './ttl';
import { updateKey } from './update';

/** The end of the year 9999 and the beginning of 10000, the last that a date can express, 2^53 + 1, and the server's maximum. */
const EXPIRIES = [
  '253402300000000',
  '253402300800000',
  '8640000000000000',
  '8640000000000001',
  '9007199254740993',
  '9223372036854770000',
  '9223372036854775807',
];

let test: TestContext;
let raw: TestContext['redis'];
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  raw = test.redis.duplicate({ stringNumbers: true });
});
beforeEach(() => test.empty());
afterAll(async () => {
  raw.disconnect();
  await test.close();
});

const KEY = Buffer.from('shop:far');
const expiry = (key: string | Buffer = KEY) => raw.call('PEXPIRETIME', key);
const send = <C extends Contract>(command: Command<C>, input: object) =>
  runCommand(command, { actor: testActor(), requestId: randomUUID(), connection: test.handle, raw: input });
const exportIt = () => {
  const raw = { keyIds: [keyIdOf(test.ctx, KEY)] };
  const call = { actor: testActor(), requestId: randomUUID(), connection: test.handle, raw };
  return runCommand(exportKeysCommand, call);
};
const undo = async (command: unknown, { auditId }: { auditId: string | null }) =>
  (command as AnyCommand & Command).undo!(test.as({}), (await readUndo(test.ctx.store, auditId!))!);
const ofKey = async () => ({
  keyId: keyIdOf(test.ctx, KEY),
  etag: (await readEtag(test.ctx, KEY)) ?? 'none',
});
const open = async () => {
  const input = parseInput(keyContracts.get, { keyId: keyIdOf(test.ctx, KEY) });
  return keyContracts.get.result.parse(await getKey(test.ctx, input));
};
const fill = async (at: string) => {
  await test.redis.hset(KEY, { a: '1' });
  await test.redis.call('PEXPIREAT', KEY, at);
};

it.skipIf(IS_REDIS_6).each(EXPIRIES)(
  '%s is answered, and exported and imported, as it stands',
  async (at) => {
    await fill(at);
    const { expiresAt, expiresAtMs, ttlSeconds } = await open();
    if (at === EXPIRIES[0]) expect(Math.abs(Date.parse(expiresAt!) - Number(at))).toBeLessThan(30_000);
    else expect([expiresAt, expiresAtMs]).toEqual([null, at]);
    expect(ttlSeconds).toBeGreaterThan(1e9);
    const { file } = await exportIt();
    // An earlier version wrote every expiry as a number.
    for (const each of [file, file.replace(/"expiresAt":"(\d+)"/, '"expiresAt": $1')]) {
      await test.redis.del(KEY);
      expect(await send(importKeysCommand, { file: each, confirm: 'x' })).toMatchObject({ restored: 1 });
      expect(await expiry()).toBe(at);
    }
    await fill('1893456000000');
    await undo(importKeysCommand, await send(importKeysCommand, { file, replace: true, confirm: 'x' }));
    expect(await expiry()).toBe('1893456000000');
  },
);

it.skipIf(IS_REDIS_6).each(EXPIRIES)('%s is what undo restores', async (at) => {
  await fill(at);
  const field = (await open()).elements[0]!;
  const edit = { op: 'removeField', element: field.id, field: { text: 'a' } };
  const changes = [
    [deleteKeyCommand, { confirm: 'x' }],
    [setKeyTtl, { ttlSeconds: 60 }],
    [setKeyTtl, { ttlSeconds: null }],
    [updateKey, { edit }],
  ] as unknown as [Command<Contract>, object][];
  for (const [command, more] of changes) {
    const done = (await send(command, { ...(await ofKey()), ...more })) as { auditId: string };
    expect(await expiry()).not.toBe(at);
    expect([command.contract.id, await undo(command, done)]).toMatchObject([
      command.contract.id,
      { undone: 1 },
    ]);
    expect([command.contract.id, await expiry()]).toEqual([command.contract.id, at]);
  }
});

it.skipIf(IS_REDIS_6).each(EXPIRIES)('%s stays with a copy and a new name', async (at) => {
  await fill(at);
  await send(duplicateKey, { ...(await ofKey()), name: { text: 'shop:copy' } });
  await send(renameKey, { ...(await ofKey()), name: { text: 'shop:renamed' } });
  expect(await Promise.all([expiry('shop:copy'), expiry('shop:renamed')])).toEqual([at, at]);
});

it('an import refuses an expiry that is no time of Redis, line by line', async () => {
  await fill('8640000000000001');
  const { file } = await exportIt();
  const [header, line] = file.trim().split('\n');
  const lines = ['"9223372036854775808"', '99999999999999999999', '"-1"', '0', '1.5', '"x"'].map((at) =>
    line!.replace(/"expiresAt":[^,]+/, `"expiresAt":${at}`),
  );
  const { rows } = await send(importKeysCommand, { file: [header, ...lines].join('\n'), dryRun: true });
  expect(rows.map(({ reason }) => reason)).toEqual(lines.map(() => 'The expiry is not a time.'));
});
