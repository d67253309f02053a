import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendIntent, appendOutcome } from '@/lib/audit/log';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Problem } from '@/lib/errors';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { connections } from '@/lib/redis/connections';
import { openStore } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { forgetNames } from '@/lib/values/named-keys';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { setFlagCommand } from './commands';
import { flagHistory } from './history';
import { listFlags } from './reads';
import { flagContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'product' });
});
beforeEach(async () => {
  await test.empty();
  forgetNames(test.handle);
});
afterAll(() => test.close());

const set = (raw: object) =>
  runCommand(setFlagCommand, {
    actor: testActor('product'),
    requestId: randomUUID(),
    connection: test.handle,
    raw,
  });

const flags = async () => {
  const { items } = flagContracts.list.result.parse(await listFlags(test.ctx));
  return new Map(items.map((flag) => [flag.name, flag]));
};

describe('the list', () => {
  it('does not take a change through Keyward for one from outside, while both are read', async () => {
    await test.redis.set('env_vars:FEATURE_A', 'yes');
    const before = (await flags()).get('FEATURE_A')!;
    let changes = 1;
    const { reader } = test.ctx;
    const readMany: typeof reader.readMany = async (commands) => {
      if (changes-- > 0)
        await set({ name: 'FEATURE_A', enabled: false, etag: before.etag, reason: 'Ticket 7' });
      return reader.readMany(commands);
    };
    await listFlags({ ...test.ctx, reader: { ...reader, readMany } });
    expect(changes).toBeLessThan(1);
    expect((await flags()).get('FEATURE_A')).toMatchObject({ changedOutside: false, reason: 'Ticket 7' });
  });

  it('is paged, by name', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `FEATURE_${i}`);
    await test.redis.mset(Object.fromEntries(names.map((name) => [`env_vars:${name}`, 'on'])));
    const listed = await allPages((page) => listFlags(test.ctx, page), 2);
    expect(listed.map(({ name, enabled }) => [name, enabled])).toEqual(names.map((name) => [name, true]));
  });

  it('has each flag once, even if SCAN returns keys twice', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `FEATURE_${100 + i}`);
    await test.redis.mset(Object.fromEntries(names.map((name) => [`env_vars:${name}`, 'on'])));
    // On a slow machine the first lists may be read while the scan still runs.
    const listed = async () => (await listFlags(test.ctx)).items.map(({ name }) => name);
    await withRepeatedElements(test, () => expect.poll(listed).toEqual(names));
  });

  it('shows every FEATURE_ variable, whatever its name and value, and nothing else', async () => {
    await test.redis.mset({
      'env_vars:FEATURE_A': 'TRUE',
      'env_vars:FEATURE_B': '0',
      'env_vars:FEATURE_<script>': 'off',
      'env_vars:FEATURE_lower': 'maybe',
      'env_vars:FEATURE_API_KEY': 's3cr3t-value',
      'env_vars:FEATURE_TOKEN_LOGIN': 'yes',
      'env_vars:FEATURE_DB': 'postgres://app:hunter2@db/main',
      'env_vars:FEATURE_LONG': 'x'.repeat(257),
      'env_vars:FEATURE_A:invalidated': '1',
      'env_vars:JWT_SECRET': 'true',
      'env_vars:XFEATURE_A': 'true',
      FEATURE_A: 'true',
    });
    await test.redis.set('env_vars:FEATURE_BYTES', Buffer.from([0xff, 0xfe]), 'EX', 60);
    await test.redis.set(Buffer.from('env_vars:FEATURE_\xff', 'latin1'), 'true');
    await test.redis.hset('env_vars:FEATURE_HASH', 'a', 'true');
    const found = await flags();
    const shown = [...found.values()].map(({ name, enabled, raw, type }) => [name, enabled, raw, type]);
    expect(shown).toEqual([
      ['FEATURE_<script>', false, 'off', 'string'],
      ['FEATURE_A', true, 'TRUE', 'string'],
      ['FEATURE_API_KEY', null, null, 'string'],
      ['FEATURE_B', false, '0', 'string'],
      ['FEATURE_BYTES', null, null, 'string'],
      ['FEATURE_DB', null, null, 'string'],
      ['FEATURE_HASH', null, null, 'hash'],
      ['FEATURE_LONG', null, null, 'string'],
      ['FEATURE_TOKEN_LOGIN', true, 'yes', 'string'],
      ['FEATURE_\\xff', true, 'true', 'string'],
      ['FEATURE_lower', null, 'maybe', 'string'],
    ]);
    expect(found.get('FEATURE_BYTES')?.ttlSeconds).toBe(60);
    expect(found.get('FEATURE_A')).toMatchObject({
      key: 'env_vars:FEATURE_A',
      ttlSeconds: null,
      stale: false,
    });
  });

  it('reads values each time, shares one scan, and drops deleted flags', async () => {
    await test.redis.mset({ 'env_vars:FEATURE_A': 'on', 'env_vars:FEATURE_B': 'on' });
    const before = test.handle.own.snapshot().commands;
    await Promise.all([flags(), flags(), flags()]);
    // One SCAN, and four commands a flag for each of the three.
    expect(test.handle.own.snapshot().commands - before).toBe(1 + 3 * 8);
    await test.redis.set('env_vars:FEATURE_A', 'off');
    await test.redis.del('env_vars:FEATURE_B');
    const found = await flags();
    expect([...found.keys()]).toEqual(['FEATURE_A']);
    expect(found.get('FEATURE_A')?.enabled).toBe(false);
  });

  it('works without the store, but without authors', async () => {
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const store = openStore('redis://127.0.0.1:1');
    try {
      const { items } = await listFlags({ ...test.ctx, store });
      expect(items).toMatchObject([{ name: 'FEATURE_A', enabled: true, updatedBy: null }]);
    } finally {
      store.close();
    }
  });

  it('is 404 on a connection whose applications have no flags', async () => {
    const catalog = catalogFor(['hawk']);
    expect((await problemOf((async () => listFlags({ ...test.ctx, catalog }))())).status).toBe(404);
  });

  it('shows the last change and its reason, until it is changed outside Keyward', async () => {
    await test.redis.set('env_vars:FEATURE_A', 'Yes');
    const { etag } = (await flags()).get('FEATURE_A')!;
    await set({ name: 'FEATURE_A', enabled: false, etag, reason: 'too slow' });
    expect((await flags()).get('FEATURE_A')).toMatchObject({
      raw: 'No',
      updatedBy: 'product@example.org',
      reason: 'too slow',
      stale: false,
    });
    const later = test.as({ now: () => Date.now() + 30 * DAY });
    expect((await listFlags(later)).items[0]?.stale).toBe(true);
    await test.redis.set('env_vars:FEATURE_A', 'Yes');
    expect((await flags()).get('FEATURE_A')).toMatchObject({
      updatedAt: null,
      updatedBy: null,
      reason: null,
    });
    // Its value now was first seen just before: it has not been unchanged for long.
    expect((await flags()).get('FEATURE_A')).toMatchObject({ stale: false, updatedBy: null });
  });
});

describe('a toggle', () => {
  it.each([
    ['TRUE', false, 'FALSE'],
    ['off', true, 'on'],
    ['Yes', false, 'No'],
    ['0', true, '1'],
    ['ON', true, 'ON'],
  ])('of %s to %s writes %s and keeps the TTL', async (raw, enabled, next) => {
    await test.redis.set('env_vars:FEATURE_A', raw, 'EX', 500);
    const { etag } = (await flags()).get('FEATURE_A')!;
    const result = await set({ name: 'FEATURE_A', enabled, etag });
    expect(result).toMatchObject({ name: 'FEATURE_A', enabled, raw: next });
    expect(await test.redis.get('env_vars:FEATURE_A')).toBe(next);
    expect(await test.redis.ttl('env_vars:FEATURE_A')).toBeGreaterThan(490);
    expect((await flags()).get('FEATURE_A')?.etag).toBe(result.etag);
    expect(result.undoUntil).toBeTruthy();
  });

  it('with a stale etag gets the current state', async () => {
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const { etag } = (await flags()).get('FEATURE_A')!;
    await test.redis.set('env_vars:FEATURE_A', 'off');
    const problem = await problemOf(set({ name: 'FEATURE_A', enabled: false, etag }));
    const present = (await flags()).get('FEATURE_A')!;
    expect(problem.status).toBe(412);
    expect(problem.extensions).toEqual({ etag: present.etag, enabled: false, raw: 'off' });
    await test.redis.del('env_vars:FEATURE_A');
    await test.redis.hset('env_vars:FEATURE_A', 'a', '1');
    expect((await problemOf(set({ name: 'FEATURE_A', enabled: false, etag }))).extensions).toMatchObject({
      enabled: null,
      raw: null,
    });
  });

  it('by two users at once succeeds for exactly one', async () => {
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const { etag } = (await flags()).get('FEATURE_A')!;
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, () => set({ name: 'FEATURE_A', enabled: false, etag })),
    );
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as Problem] : []));
    expect(refused.map((problem) => problem.status)).toEqual(Array(9).fill(412));
    expect(await test.redis.get('env_vars:FEATURE_A')).toBe('off');
  });

  it('of a deleted flag, another variable, another type or a non-boolean is refused with a message', async () => {
    const etag = 'x';
    for (const name of ['FEATURE_GONE', 'JWT_SECRET', 'FEATURE_\u0000', 'FEATURE_A:invalidated']) {
      await test.redis.mset({ 'env_vars:JWT_SECRET': 'true', 'env_vars:FEATURE_A:invalidated': 'true' });
      expect((await problemOf(set({ name, enabled: true, etag }))).status).toBe(404);
    }
    await test.redis.hset('env_vars:FEATURE_HASH', 'a', '1');
    await test.redis.set('env_vars:FEATURE_WORD', 'maybe');
    const found = await flags();
    for (const name of ['FEATURE_HASH', 'FEATURE_WORD']) {
      const problem = await problemOf(set({ name, enabled: true, etag: found.get(name)!.etag }));
      expect([problem.status, problem.message.length > 20]).toEqual([409, true]);
    }
    expect((await problemOf(set({ name: 'FEATURE_WORD', enabled: 'yes', etag }))).status).toBe(400);
    expect((await problemOf(set({ name: 'FEATURE_WORD', enabled: true, etag, extra: 1 }))).message).toContain(
      'extra',
    );
    expect(await test.redis.get('env_vars:JWT_SECRET')).toBe('true');
  });
});

describe('undoing a toggle', () => {
  const toggle = async () => {
    await test.redis.set('env_vars:FEATURE_A', 'tRuE');
    const { etag } = (await flags()).get('FEATURE_A')!;
    const { auditId } = await set({ name: 'FEATURE_A', enabled: false, etag });
    return (await readUndo(test.ctx.store, auditId))!;
  };

  it('restores exactly the old text', async () => {
    const kept = await toggle();
    expect(await test.redis.get('env_vars:FEATURE_A')).toBe('false');
    expect(await setFlagCommand.undo!(test.ctx, kept)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.get('env_vars:FEATURE_A')).toBe('tRuE');
    expect((await flags()).get('FEATURE_A')?.updatedBy).toBe('product@example.org');
  });

  it('does not touch a flag changed or deleted since', async () => {
    const kept = await toggle();
    await test.redis.set('env_vars:FEATURE_A', 'maybe');
    const undone = await setFlagCommand.undo!(test.ctx, kept);
    expect(undone).toEqual({ undone: 0, conflicts: [{ what: 'FEATURE_A', why: 'It was changed since.' }] });
    await test.redis.del('env_vars:FEATURE_A');
    expect((await setFlagCommand.undo!(test.ctx, kept)).conflicts[0]?.why).toBe('It was deleted since.');
    expect(await test.redis.exists('env_vars:FEATURE_A')).toBe(0);
  });
});

it('lists the changes of one flag, newest first, without refused attempts', async () => {
  await test.redis.mset({ 'env_vars:FEATURE_A': 'on', 'env_vars:FEATURE_AB': 'on' });
  const first = await set({
    name: 'FEATURE_A',
    enabled: false,
    etag: (await flags()).get('FEATURE_A')!.etag,
  });
  await set({ name: 'FEATURE_AB', enabled: false, etag: (await flags()).get('FEATURE_AB')!.etag });
  await set({ name: 'FEATURE_A', enabled: true, etag: first.etag, reason: 'back' });
  await problemOf(set({ name: 'FEATURE_A', enabled: true, etag: first.etag }));
  const { items } = flagContracts.history.result.parse(await flagHistory(test.ctx, { name: 'FEATURE_A' }));
  expect(items.map(({ from, to, reason, outcome }) => [from, to, reason, outcome])).toEqual([
    ['off', 'on', 'back', 'succeeded'],
    ['on', 'off', null, 'succeeded'],
  ]);
  expect(items.every((item) => item.actor === 'product@example.org')).toBe(true);
  const undone = items.find((item) => item.reason === 'back')!;
  registerUndoable([setFlagCommand as never]);
  connections().set('main', test.handle);
  const undoing = { actor: testActor('product'), requestId: randomUUID(), connection: null };
  await runCommand(undoChange, { ...undoing, raw: { auditId: undone.auditId, reason: 'oops' } });
  expect(await test.redis.get('env_vars:FEATURE_A')).toBe('off');
  const after = await flagHistory(test.ctx, { name: 'FEATURE_A' });
  expect(after.items).toHaveLength(3);
  expect(after.items[0]).toMatchObject({ from: 'on', to: 'off', reason: 'oops', outcome: 'succeeded' });
  for (const limit of [1, 2])
    expect(await allPages((page) => flagHistory(test.ctx, { name: 'FEATURE_A', ...page }), limit)).toEqual(
      after.items,
    );
});

it('includes changes as an environment variable, without values of secrets', async () => {
  const { store } = test.ctx;
  const wrote = async (action: string, target: string, before: unknown, after: unknown) => {
    const id = randomUUID();
    const intent = { id, actor: testActor('admin'), action, connection: 'main', target, requestId: null };
    await appendIntent(store, { ...intent, reason: null, input: null });
    await appendOutcome(store, { id, outcome: 'succeeded', before, after, undoUntil: Date.now() + DAY });
  };
  await wrote('env.set', 'FEATURE_A', { value: 'maybe' }, { value: 'on' });
  await wrote('env.set', 'FEATURE_A', { value: 'on' }, { secret: true, digest: 'abc' });
  await wrote('env.set', 'FEATURE_A', { value: 'x' }, { value: 'postgres://app:hunter2@db/main' });
  await wrote('env.set', 'FEATURE_API_KEY', { value: 'hunter2' }, { value: 'yes' });
  await wrote('env.set', 'JWT_SECRET', { value: 'hunter2' }, { value: 'yes' });
  const of = async (name: string) =>
    (await flagHistory(test.ctx, { name })).items.map(({ from, to, undoUntil }) => [from, to, undoUntil]);
  expect(await of('FEATURE_A')).toEqual([
    ['x', null, null],
    ['on', null, null],
    ['maybe', 'on', null],
  ]);
  const many = {
    changes: [{ name: 'FEATURE_B', from: { value: 'on' }, to: { value: 'off' } }, { name: 'X' }],
  };
  await wrote('env.import', 'dotenv text', null, many);
  await wrote('env.rename', 'FEATURE_OLD', { name: 'FEATURE_OLD' }, { name: 'FEATURE_B' });
  expect(await of('FEATURE_B')).toEqual([
    [null, null, null],
    ['on', 'off', null],
  ]);
  expect(await of('FEATURE_API_KEY')).toEqual([[null, 'yes', null]]);
  expect((await problemOf(flagHistory(test.ctx, { name: 'JWT_SECRET' }))).status).toBe(404);
});
