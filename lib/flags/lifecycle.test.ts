import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand, Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Result } from '@/lib/contract';
import { ScanBudget } from '@/lib/redis/budget';
import { type ConnectionHandle, connections, openConnection } from '@/lib/redis/connections';
import { makeWriter } from '@/lib/redis/writer';
import { takeCensus } from '@/lib/sampler/census';
import { DAY } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { writeNameIndexes } from '@/lib/values/name-index';
import { forgetNames } from '@/lib/values/named-keys';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { createFlagCommand, deleteFlagCommand, describeFlagCommand, setFlagCommand } from './commands';
import { flagHistory } from './history';
import { noteSeen, readNotes } from './notes';
import { listFlags } from './reads';
import { scheduleFlag } from './schedule';
import { flagContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'product' });
  registerUndoable([setFlagCommand, createFlagCommand, deleteFlagCommand, describeFlagCommand]);
});
beforeEach(async () => {
  await test.empty();
  forgetNames(test.handle);
  connections().set('main', test.handle);
});
afterAll(() => test.close());

type Role = 'admin' | 'support' | 'product' | 'viewer';

const run = <C extends Command['contract']>(
  command: Command<C>,
  raw: object,
  { role = 'product', connection = test.handle }: { role?: Role; connection?: ConnectionHandle } = {},
): Promise<Result<C>> =>
  runCommand(command, { actor: testActor(role), requestId: randomUUID(), connection, raw });

const undo = (auditId: string) =>
  runCommand(undoChange, {
    actor: testActor('product'),
    requestId: randomUUID(),
    connection: null,
    raw: { auditId },
  });

const handleWith = (config: Partial<ConnectionHandle['config']>): ConnectionHandle => ({
  ...test.handle,
  config: { ...test.handle.config, ...config },
});

const keyOf = (name: string) => `env_vars:${name}`;
const flagOf = async (name: string) => {
  const list = flagContracts.list.result.parse(await listFlags(test.ctx));
  return list.items.find((flag) => flag.name === name);
};
const etagOf = async (name: string) => (await flagOf(name))!.etag;

describe('a new flag', () => {
  it('is stored in the most frequent or the given format, with its description', async () => {
    expect(await run(createFlagCommand, { name: 'FEATURE_FIRST', enabled: true })).toMatchObject({
      raw: 'true',
    });
    await test.redis.mset({ [keyOf('FEATURE_B')]: 'OFF', [keyOf('FEATURE_C')]: 'ON' });
    await test.redis.mset({ [keyOf('FEATURE_D')]: 'maybe', [keyOf('JWT_SECRET')]: 'yes' });
    const created = await run(createFlagCommand, {
      name: 'FEATURE_NEW',
      enabled: false,
      description: ' Shows the new editor. ',
      reason: 'ticket 1',
    });
    expect(created).toMatchObject({ name: 'FEATURE_NEW', enabled: false, raw: 'OFF' });
    expect(await test.redis.get(keyOf('FEATURE_NEW'))).toBe('OFF');
    expect(await flagOf('FEATURE_NEW')).toMatchObject({
      etag: created.etag,
      description: 'Shows the new editor.',
      updatedBy: 'product@example.org',
      reason: 'ticket 1',
    });
    const styled = { name: 'FEATURE_STYLED', enabled: true, style: 'yes/no' };
    expect(await run(createFlagCommand, styled)).toMatchObject({ raw: 'yes' });
  });

  it('is 409 if it exists, whatever it holds, and exactly one of many at once is created', async () => {
    await test.redis.hset(keyOf('FEATURE_HASH'), 'a', 'b');
    const again = { name: 'FEATURE_HASH', enabled: true };
    expect((await problemOf(run(createFlagCommand, again))).status).toBe(409);
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        run(createFlagCommand, { name: 'FEATURE_X', enabled: i % 2 === 0 }),
      ),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    'feature_a',
    'FEATURE_',
    'FEATURE_a',
    'FEATURE_A=B',
    'FEATURE_A\nB',
    'FEATURE_\u0000',
    'JWT_SECRET',
    'FEATURE_ A',
    'FEATURE_A:invalidated',
    `FEATURE_${'A'.repeat(121)}`,
    'FEATURE_<B>',
    '',
  ])('is refused the name %j', async (name) => {
    const problem = await problemOf(run(createFlagCommand, { name, enabled: true }));
    expect(problem).toMatchObject({ status: 400, extensions: { errors: [{ path: 'name' }] } });
    expect(await test.redis.dbsize()).toBe(0);
  });

  it('can be undone while it is unchanged', async () => {
    const { auditId } = await run(createFlagCommand, { name: 'FEATURE_A', enabled: true });
    const second = await run(createFlagCommand, { name: 'FEATURE_B', enabled: true });
    expect(await undo(auditId)).toMatchObject({ undone: 1 });
    expect(await test.redis.exists(keyOf('FEATURE_A'))).toBe(0);
    await run(setFlagCommand, { name: 'FEATURE_B', enabled: false, etag: second.etag });
    expect(await undo(second.auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'FEATURE_B' }] });
  });
});

describe('a deletion', () => {
  it('cancels scheduled changes, and undo restores value, TTL and description', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'Maybe later', 'EX', 500);
    await test.redis.set(keyOf('FEATURE_B'), 'on');
    await run(describeFlagCommand, { name: 'FEATURE_A', description: 'It waits.' });
    const at = new Date(Date.now() + DAY).toISOString();
    const etag = await etagOf('FEATURE_B');
    await run(scheduleFlag, { name: 'FEATURE_B', enabled: false, at, etag });
    expect(await run(deleteFlagCommand, { name: 'FEATURE_B', etag })).toMatchObject({ unscheduled: 1 });
    const deleted = await run(deleteFlagCommand, { name: 'FEATURE_A', etag: await etagOf('FEATURE_A') });
    expect(deleted).toMatchObject({ name: 'FEATURE_A', unscheduled: 0, undoUntil: expect.any(String) });
    expect(await test.redis.dbsize()).toBe(0);
    expect((await listFlags(test.ctx)).items).toEqual([]);

    expect(await undo(deleted.auditId)).toMatchObject({ undone: 1, conflicts: [] });
    expect(await test.redis.get(keyOf('FEATURE_A'))).toBe('Maybe later');
    expect(await test.redis.ttl(keyOf('FEATURE_A'))).toBeGreaterThan(490);
    expect(await flagOf('FEATURE_A')).toMatchObject({ description: 'It waits.', schedule: [] });
    const { items } = await flagHistory(test.ctx, { name: 'FEATURE_A' });
    expect(items.map(({ action, from, to }) => [action, from, to])).toEqual([
      ['audit.undo', null, 'Maybe later'],
      ['flags.delete', 'Maybe later', null],
    ]);
  });

  it('is not undone over a flag created since', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const { auditId } = await run(deleteFlagCommand, { name: 'FEATURE_A', etag: await etagOf('FEATURE_A') });
    await test.redis.set(keyOf('FEATURE_A'), 'off');
    expect(await undo(auditId)).toMatchObject({
      undone: 0,
      conflicts: [{ what: 'FEATURE_A', why: 'Someone created it again.' }],
    });
    expect(await test.redis.get(keyOf('FEATURE_A'))).toBe('off');
  });

  it('is refused with a stale etag, for a missing flag, and for values undo could not restore', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const etag = await etagOf('FEATURE_A');
    await test.redis.set(keyOf('FEATURE_A'), 'off');
    const stale = await problemOf(run(deleteFlagCommand, { name: 'FEATURE_A', etag }));
    expect(stale).toMatchObject({ status: 412, extensions: { etag: await etagOf('FEATURE_A'), raw: 'off' } });
    expect((await problemOf(run(deleteFlagCommand, { name: 'FEATURE_GONE', etag }))).status).toBe(404);
    await test.redis.set(keyOf('FEATURE_BIG'), 'x'.repeat(2_000_000));
    await test.redis.hset(keyOf('FEATURE_HASH'), 'a', 'b');
    for (const name of ['FEATURE_BIG', 'FEATURE_HASH']) {
      const refused = run(deleteFlagCommand, { name, etag: await etagOf(name) });
      expect((await problemOf(refused)).status).toBe(409);
      expect(await test.redis.exists(keyOf(name))).toBe(1);
    }
  });

  it('of bytes that are not text is undone byte for byte, and no secret is in the log', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    await test.redis.set(keyOf('FEATURE_BYTES'), bytes);
    await test.redis.set(keyOf('FEATURE_STORE_TOKEN'), 'hunter2-hunter2');
    const names = ['FEATURE_BYTES', 'FEATURE_STORE_TOKEN'];
    for (const name of names) {
      const { auditId } = await run(deleteFlagCommand, { name, etag: await etagOf(name) });
      await undo(auditId);
    }
    expect(await test.redis.getBuffer(keyOf('FEATURE_BYTES'))).toEqual(bytes);
    expect(await test.redis.get(keyOf('FEATURE_STORE_TOKEN'))).toBe('hunter2-hunter2');
    const written = JSON.stringify([
      await listEntries(test.ctx.store),
      await flagHistory(test.ctx, { name: 'FEATURE_STORE_TOKEN' }),
      await listFlags(test.ctx),
    ]);
    expect(written).not.toContain('hunter2');
  });

  it("in production needs the connection's id", async () => {
    const connection = handleWith({ environment: 'production' });
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const input = { name: 'FEATURE_A', etag: await etagOf('FEATURE_A') };
    const refused = await problemOf(run(deleteFlagCommand, input, { connection }));
    expect(refused.code).toBe('confirmation_required');
    await run(deleteFlagCommand, { ...input, confirm: 'main' }, { connection });
  });
});

describe('a description', () => {
  it('is stored, masked, changed, emptied and undone; refused for other variables', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const describeAs = (description: string) => run(describeFlagCommand, { name: 'FEATURE_A', description });
    await describeAs('One');
    const second = await describeAs('Two');
    expect((await flagOf('FEATURE_A'))?.description).toBe('Two');
    await undo(second.auditId);
    expect((await flagOf('FEATURE_A'))?.description).toBe('One');
    expect(await describeAs('  ')).toMatchObject({ description: null });
    expect((await flagOf('FEATURE_A'))?.description).toBeNull();
    const token =
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
    await describeAs(`Asks with ${token}`);
    expect((await flagOf('FEATURE_A'))?.description).not.toContain(token);
    const missing = run(describeFlagCommand, { name: 'FEATURE_B', description: 'x' });
    expect((await problemOf(missing)).status).toBe(404);
    const noFlag = run(describeFlagCommand, { name: 'JWT_SECRET', description: 'x' });
    expect((await problemOf(noFlag)).status).toBe(404);
  });
});

describe('owner, kind and tags', () => {
  it('are stored beside the description, what is left out stays, and undo brings them back', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const describeAs = (about: object) => run(describeFlagCommand, { name: 'FEATURE_A', ...about });
    await describeAs({
      description: 'One',
      owner: ' Team Search ',
      kind: 'release',
      tags: ['web', ' web', 'beta'],
    });
    const whole = { description: 'One', owner: 'Team Search', kind: 'release', tags: ['web', 'beta'] };
    expect(await flagOf('FEATURE_A')).toMatchObject(whole);
    const second = await describeAs({ owner: '', kind: null });
    expect(await flagOf('FEATURE_A')).toMatchObject({ ...whole, owner: null, kind: null });
    expect(await undo(second.auditId)).toMatchObject({ undone: 1 });
    expect(await flagOf('FEATURE_A')).toMatchObject(whole);
    const deleted = await run(deleteFlagCommand, { name: 'FEATURE_A', etag: await etagOf('FEATURE_A') });
    expect(await test.storeRedis.hlen('keyward:flag-details:main')).toBe(0);
    await undo(deleted.auditId);
    expect(await flagOf('FEATURE_A')).toMatchObject(whole);
  });

  it('refuse secrets, and what is unknown or too long', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    await run(describeFlagCommand, { name: 'FEATURE_A', owner: 'ann@example.org', tags: ['web'] });
    const token = `sk_live_${'a1B2c3D4'.repeat(4)}`;
    const refused = async (about: object) =>
      problemOf(run(describeFlagCommand, { name: 'FEATURE_A', ...about }));
    for (const about of [{ owner: `Ann ${token}` }, { tags: ['web', token.slice(0, 40)] }]) {
      const problem = await refused(about);
      expect([problem.status, problem.extensions]).toMatchObject([
        400,
        { errors: [{ path: Object.keys(about)[0] }] },
      ]);
      expect(problem.message).not.toContain(token.slice(8, 24));
    }
    for (const about of [
      { kind: 'other' },
      { owner: 'a'.repeat(101) },
      { tags: ['a'.repeat(41)] },
      { tags: Array.from({ length: 11 }, (_, i) => `${i}`) },
    ])
      expect((await refused(about)).status).toBe(400);
    expect(await flagOf('FEATURE_A')).toMatchObject({ owner: 'ann@example.org', tags: ['web'] });
  });

  it('are none for a flag that was described before there were any', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    await test.storeRedis.hset('keyward:flag-description:main', 'FEATURE_A', 'Old');
    expect(await flagOf('FEATURE_A')).toMatchObject({
      description: 'Old',
      owner: null,
      kind: null,
      tags: [],
    });
  });
});

describe('how long a flag is unchanged', () => {
  const at = (now: number) => listFlags(test.as({ now: () => now })).then(({ items }) => items[0]!);
  const written = () => test.storeRedis.hgetall('keyward:flag-seen:main');

  it('counts from the first observation of its value, which is stored once', async () => {
    const start = Date.now();
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const first = { unchangedSince: new Date(start).toISOString(), stale: false, changedOutside: false };
    expect(await at(start)).toMatchObject(first);
    expect(await at(start + 1)).toMatchObject(first);
    const firstNote = await written();
    expect(await at(start + 30 * DAY - 1)).toMatchObject({ stale: false });
    expect(await at(start + 30 * DAY)).toMatchObject({
      unchangedSince: new Date(start).toISOString(),
      stale: true,
      updatedAt: null,
    });
    expect(await written()).toEqual(firstNote);
    await test.redis.set(keyOf('FEATURE_A'), 'off');
    const later = start + 31 * DAY;
    const second = { unchangedSince: new Date(later).toISOString(), stale: false, changedOutside: true };
    expect(await at(later)).toMatchObject(second);
    // Also once it is noted.
    expect(await at(later + 1)).toMatchObject(second);
  });

  it('is not stored by a reading that is outdated', async () => {
    const observation = { name: 'FEATURE_A', etag: 'new', since: 2, isChange: false, seenText: '' };
    await noteSeen(test.ctx, [observation]);
    const [{ seenText } = { seenText: '' }] = (await readNotes(test.ctx, ['FEATURE_A']))!;
    await noteSeen(test.ctx, [{ ...observation, etag: 'old', since: 3 }]);
    expect(await written()).toEqual({ FEATURE_A: seenText });
    await noteSeen(test.ctx, [{ ...observation, etag: 'newer', since: 4, seenText }]);
    expect((await readNotes(test.ctx, ['FEATURE_A']))![0]?.seen).toEqual({
      at: 4,
      etag: 'newer',
      isChange: false,
    });
  });

  it('starts again with a change through Keyward or outside it, even back to an old value', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const { etag } = await at(Date.now() - 40 * DAY);
    const set = await run(setFlagCommand, { name: 'FEATURE_A', enabled: false, etag });
    const changed = await at(Date.now());
    expect(changed).toMatchObject({ stale: false, changedOutside: false, updatedBy: 'product@example.org' });
    expect(changed.unchangedSince).toBe(changed.updatedAt);
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const now = Date.now() + DAY;
    const since = new Date(now).toISOString();
    expect(await at(now)).toMatchObject({ unchangedSince: since, changedOutside: true, updatedBy: null });
    await test.redis.set(keyOf('FEATURE_A'), 'off');
    const again = await at(now + DAY);
    expect([again.etag, again.updatedBy]).toEqual([set.etag, null]);
    expect(again.unchangedSince).toBe(new Date(now + DAY).toISOString());
  });
});

describe('who may', () => {
  const all: [AnyCommand, object][] = [
    [setFlagCommand, { name: 'FEATURE_A', enabled: true, etag: 'x' }],
    [createFlagCommand, { name: 'FEATURE_A', enabled: true }],
    [deleteFlagCommand, { name: 'FEATURE_A', etag: 'x' }],
    [describeFlagCommand, { name: 'FEATURE_A', description: 'x' }],
    [scheduleFlag, { name: 'FEATURE_A', enabled: true, at: '2999-01-01T00:00:00Z', etag: 'x' }],
  ];
  it('that may change flags are admin and product, and none on a read-only connection', async () => {
    await test.redis.set(keyOf('FEATURE_A'), 'on');
    const locked = handleWith({ readOnly: true });
    for (const [command, raw] of all) {
      for (const role of ['viewer', 'support'] as const)
        expect((await problemOf(run(command as Command, raw, { role }))).status).toBe(403);
      expect((await problemOf(run(command as Command, raw, { connection: locked }))).status).toBe(423);
    }
    expect(await test.redis.get(keyOf('FEATURE_A'))).toBe('on');
  });
});

it('does not report a change as failed that may have been made', {
  tags: 'long',
  timeout: 15_000,
}, async () => {
  // The server has the script: otherwise nothing is sent that could be done later.
  await run(createFlagCommand, { name: 'FEATURE_B', enabled: true });
  await test.redis.set(keyOf('FEATURE_A'), 'off');
  const [flag] = (await listFlags(test.ctx)).items;
  await test.redis.client('PAUSE', 20_000, 'WRITE');
  const raw = { name: 'FEATURE_A', enabled: true, etag: flag!.etag };
  const problem = await problemOf(run(setFlagCommand, raw));
  expect(problem).toMatchObject({ status: 503, code: 'unreachable', extensions: { inDoubt: true } });
  await test.redis.client('UNPAUSE');
  await expect.poll(() => test.redis.get(keyOf('FEATURE_A'))).toBe('on');
  expect((await flagHistory(test.ctx, { name: 'FEATURE_A' })).items).toMatchObject([{ outcome: 'pending' }]);
});

it('does not change a flag if Redis becomes unreachable between reading and writing', {
  tags: ['long'],
}, async () => {
  const server = await startRedis();
  const handle = openConnection({ ...test.handle.config, url: server.url });
  try {
    const before = { ...test.ctx, connection: handle, reader: handle.reader };
    await makeWriter(handle).compareAndSet(Buffer.from(keyOf('FEATURE_A')), null, Buffer.from('on'));
    const [flag] = (await listFlags(before)).items;
    const reader = {
      ...handle.reader,
      readMany: async (commands: never) => {
        const replies = await handle.reader.readMany(commands);
        await server.stop();
        return replies;
      },
    } as typeof handle.reader;
    const raw = { name: 'FEATURE_A', enabled: false, etag: flag!.etag };
    const problem = await problemOf(run(setFlagCommand, raw, { connection: { ...handle, reader } }));
    expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
    expect((await listEntries(test.ctx.store)).items[0]).toMatchObject({
      action: 'flags.set',
      outcome: 'failed',
    });
    expect((await flagHistory(test.ctx, { name: 'FEATURE_A' })).items).toEqual([]);
  } finally {
    handle.topology.close();
    await server.stop();
  }
});

describe('in a keyspace that takes long to scan', () => {
  it('a flag created or deleted through Keyward is listed or not immediately, one of the application after the next scan', {
    tags: ['long'],
    timeout: 30_000,
  }, async () => {
    await test.redis.eval(`for i = 1, 600 do redis.call('SET', 'author:id:' .. i, '{}') end`, 0);
    await test.redis.mset({ [keyOf('FEATURE_A')]: 'on', [keyOf('FEATURE_B')]: 'on' });
    const { names } = await takeCensus(test.handle, new AbortController().signal);
    await writeNameIndexes(test.ctx.store, 'main', names);
    const { budget } = test.handle;
    const held = new ScanBudget({ chunk: 25, pauseMs: 100, maxAddedLatencyMs: 1000 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    held.pauseBetween = () => released;
    test.handle.budget = held;
    const list = async () => {
      const { items, complete } = flagContracts.list.result.parse(await listFlags(test.ctx));
      return { names: items.map(({ name }) => name), complete };
    };
    try {
      await test.redis.set(keyOf('FEATURE_APP'), 'on');
      expect(await list()).toEqual({ names: ['FEATURE_A', 'FEATURE_B'], complete: false });
      await run(createFlagCommand, { name: 'FEATURE_NEW', enabled: true });
      expect(await list()).toEqual({ names: ['FEATURE_A', 'FEATURE_B', 'FEATURE_NEW'], complete: false });
      await run(deleteFlagCommand, { name: 'FEATURE_A', etag: await etagOf('FEATURE_A') });
      expect(await list()).toEqual({ names: ['FEATURE_B', 'FEATURE_NEW'], complete: false });
      release();
      await expect
        .poll(list, { timeout: 15_000 })
        .toEqual({ names: ['FEATURE_APP', 'FEATURE_B', 'FEATURE_NEW'], complete: true });
    } finally {
      release();
      test.handle.budget = budget;
    }
  });
});
