import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { AnyCommand, Command } from '@/lib/command/define';
import { keyIdOf } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { parseInput } from '@/lib/command/validate';
import { Problem } from '@/lib/errors';
import { storeCall, undoByCall } from '@/lib/key-values/stored-call';
import { MINUTE } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { deleteKeyCommand } from './commands/delete';
import { duplicateKey } from './commands/move';
import { updateKey } from './commands/update';
import { readFieldTtls } from './field-ttls';
import { getKey } from './get';
import { keyContracts } from './schema';

let test: TestContext;
/** Redis ≥ 7.4 and Valkey ≥ 9. */
let hasTtls: boolean;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  const [known] = (await test.redis.call('COMMAND', 'INFO', 'HPTTL')) as unknown[];
  hasTtls = known !== null;
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const KEY = Buffer.from('shop:basket');
const cut = (text: string, length = text.length) => ({ bytes: Buffer.from(text), length });

const open = async (key = KEY) => {
  const input = parseInput(keyContracts.get, { keyId: keyIdOf(test.ctx, key) });
  return keyContracts.get.result.parse(await getKey(test.ctx, input));
};

const ttlsOf = async (key = KEY) =>
  Object.fromEntries((await open(key)).elements.map(({ field, ttlSeconds }) => [field?.text, ttlSeconds]));

const fill = async () => {
  await test.redis.hset(KEY, { lasting: '1', ending: '2', another: '3' });
  await test.redis.call('HEXPIRE', KEY, 1000, 'FIELDS', 1, 'ending');
};

/** Rounded up, and a second may have passed. */
const aThousand = expect.toSatisfy((seconds: number) => seconds > 990 && seconds <= 1000);

const send = async (command: unknown, raw: object) => {
  const all = { keyId: keyIdOf(test.ctx, KEY), etag: (await open()).etag, ...raw };
  return (await runCommand(command as Command, {
    actor: testActor('admin'),
    requestId: randomUUID(),
    connection: test.handle,
    raw: all,
  })) as { auditId: string };
};

const undo = async (command: unknown, { auditId }: { auditId: string }) =>
  (command as AnyCommand & Command).undo!(test.as({}), (await readUndo(test.ctx.store, auditId))!);

it('shows when each field expires, where the server has such TTLs', async ({ skip }) => {
  skip(!hasTtls, 'this server has no TTLs of fields');
  await fill();
  expect(await ttlsOf()).toEqual({ lasting: null, ending: aThousand, another: null });
});

it('counts what it reads as its own', async () => {
  await test.redis.hset(KEY, 'a', '1');
  const counters = async () => {
    const info = await test.redis.info('stats');
    const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    const { hits, misses } = test.handle.own.snapshot();
    return [of('keyspace_hits') - hits, of('keyspace_misses') - misses];
  };
  const before = await counters();
  await open();
  expect(await counters()).toEqual(before);
});

it('keeps them in copies, through deletion and undo, and through edits of fields', async ({ skip }) => {
  skip(!hasTtls, 'this server has no TTLs of fields');
  await fill();
  const kept = { lasting: null, ending: aThousand, another: null };
  const copy = 'shop:copy';
  await send(duplicateKey, { name: { text: copy } });
  expect(await ttlsOf(Buffer.from(copy))).toEqual(kept);
  await undo(deleteKeyCommand, await send(deleteKeyCommand, {}));
  expect(await ttlsOf()).toEqual(kept);
  const { id } = (await open()).elements.find(({ field }) => field?.text === 'ending')!;
  const edit = { op: 'setField', element: id, field: { text: 'ending' }, value: { text: 'x' } };
  const edited = await send(updateKey, { edit });
  expect(await test.redis.hget(KEY, 'ending')).toBe('x');
  expect(await ttlsOf()).toEqual(kept);
  await undo(updateKey, edited);
  expect(await ttlsOf()).toEqual(kept);
});

it('asks for a page of whole names in one command, and a server that refuses once a minute', async () => {
  const asked: unknown[] = [];
  const { connection, reader } = test.ctx;
  const answering = (reply: () => number[] | null) => ({
    connection: { ...connection, topology: { ...connection.topology, nodeOf: () => node } },
    reader: {
      ...reader,
      read: async (command: unknown) => {
        asked.push(command);
        return reply() as never;
      },
    },
  });
  const node = { ...connection.topology.nodeOf(KEY) };
  const fields = [cut('a'), cut('long', 9000), cut('b'), cut('gone')];
  const ttls = await readFieldTtls(
    answering(() => [1500, -1, -2]),
    KEY,
    fields,
  );
  expect(ttls).toEqual([2, null, null, null]);
  expect(asked).toEqual([
    ['HPTTL', KEY, 'FIELDS', 3, ...['a', 'b', 'gone'].map((name) => Buffer.from(name))],
  ]);
  expect(
    await readFieldTtls(
      answering(() => null),
      KEY,
      [cut('a')],
    ),
  ).toEqual([null]);
  const refusing = answering(() => {
    throw new Problem('not_permitted', 'it does not have the command HPTTL');
  });
  vi.useFakeTimers({ toFake: ['performance'] });
  expect(await readFieldTtls(refusing, KEY, fields)).toBeNull();
  expect(await readFieldTtls(refusing, KEY, fields)).toBeNull();
  expect(asked).toHaveLength(3);
  vi.advanceTimersByTime(MINUTE);
  expect(
    await readFieldTtls(
      answering(() => [1, 1, 1]),
      KEY,
      fields,
    ),
  ).toEqual([1, null, 1, 1]);
  const fault = new Error('WRONGTYPE Operation against a key');
  const failing = answering(() => {
    throw fault;
  });
  await expect(readFieldTtls(failing, KEY, fields)).rejects.toBe(fault);
});

it('offers none where the server has none', async ({ skip }) => {
  skip(hasTtls, 'this server has TTLs of fields');
  await test.redis.hset(KEY, { a: '1', b: '2' });
  expect(await ttlsOf()).toEqual({ a: undefined, b: undefined });
});

const fieldOf = async (name: string) => (await open()).elements.find(({ field }) => field?.text === name)!;
const setTtl = async (name: string, ttlSeconds: number | null) =>
  send(updateKey, {
    edit: { op: 'setFieldTtl', element: (await fieldOf(name)).id, field: { text: name }, ttlSeconds },
  });

it('are set and removed, and undone, where the server has them', async ({ skip }) => {
  skip(!hasTtls, 'this server has no TTLs of fields');
  await fill();
  const set = await setTtl('lasting', 1000);
  const removed = await setTtl('ending', null);
  expect(await ttlsOf()).toEqual({ lasting: aThousand, ending: null, another: null });
  for (const done of [set, removed]) expect(await undo(updateKey, done)).toMatchObject({ undone: 1 });
  expect(await ttlsOf()).toEqual({ lasting: null, ending: aThousand, another: null });
});

it('is not restored where it would have expired', async () => {
  await test.redis.hset(KEY, { lasting: '1' });
  const args = ['ending', '2', String(Date.now() - MINUTE)];
  const call = { key: KEY, edit: 'addField', type: 'hash', content: '', expires: -1, args };
  expect(await undoByCall(test.as({}), storeCall(call))).toMatchObject({
    undone: 0,
    conflicts: [{ why: 'It would have expired meanwhile.' }],
  });
  expect(await test.redis.hgetall(KEY)).toEqual({ lasting: '1' });
});

it('are not lost by an edit of a user who may not read them', async ({ skip }) => {
  skip(!hasTtls, 'this server has no TTLs of fields');
  await fill();
  const { id } = await fieldOf('ending');
  const edit = { op: 'setField', element: id, field: { text: 'ending' }, value: { text: 'x' } };
  await test.redis.call('ACL', 'SETUSER', 'default', '-hpexpiretime');
  try {
    expect(await problemOf(send(updateKey, { edit }))).toMatchObject({
      code: 'not_permitted',
      message: expect.stringContaining('HPEXPIRETIME'),
    });
  } finally {
    await test.redis.call('ACL', 'SETUSER', 'default', '+hpexpiretime');
  }
  expect(await test.redis.hget(KEY, 'ending')).toBe('2');
  expect(await ttlsOf()).toMatchObject({ ending: aThousand });
});

it('are refused by the name of the command where the server has none', async ({ skip }) => {
  skip(hasTtls, 'this server has TTLs of fields');
  await test.redis.hset(KEY, { lasting: '1' });
  for (const ttlSeconds of [60, null])
    expect(await problemOf(setTtl('lasting', ttlSeconds))).toMatchObject({
      code: 'not_permitted',
      status: 503,
      message: expect.stringContaining('it does not have the command'),
    });
  expect(await test.redis.hgetall(KEY)).toEqual({ lasting: '1' });
});
