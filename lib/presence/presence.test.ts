import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { PresenceProbe } from '@/lib/sampler/presence-probe';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { setOfflineCommand } from './commands';
import { readPresenceHistory } from './history';
import { readPresence } from './reads';
import { presenceContracts } from './schema';

const KEY = 'onlines';
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['qianxun'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const get = async (raw: object = {}) => {
  const { input, result } = presenceContracts.get;
  return result.parse(await readPresence(test.ctx, input.parse(raw)));
};

const user = (id: string, nickname: string) => test.redis.hset(`user:${id}`, { username: id, nickname });

type Found = Awaited<ReturnType<typeof get>>;
const rowsOf = ({ items }: Found) =>
  Object.fromEntries(items.map(({ id, title, exists, linkable }) => [id, [title, exists, linkable]]));

describe('users online', () => {
  it('are shown with their profiles', async () => {
    await test.redis.sadd(KEY, 'u1', 'u2', 'u3');
    await user('u1', 'Ada');
    await user('u2', '<b>Bob</b>');
    await user('u4', 'Offline');
    const found = await get();
    expect(rowsOf(found)).toEqual({
      u1: ['Ada', true, true],
      u2: ['<b>Bob</b>', true, true],
      u3: [null, false, true],
    });
    expect(found).toMatchObject({ online: 3, withoutProfile: 1, key: KEY, nextCursor: null });
    expect(found.items[0]).toMatchObject({ kind: 'user', app: 'qianxun', score: null, self: false });
    const ids = found.items.map(({ id, memberId }) => [id, Buffer.from(memberId, 'base64url').toString()]);
    expect(ids.every(([id, member]) => id === member)).toBe(true);
  });

  it('are nobody without a key, and a 404 where no application says who is online', async () => {
    expect(await get()).toMatchObject({ items: [], online: 0, withoutProfile: 0, nextCursor: null });
    expect(await get({ q: 'x' })).toMatchObject({ items: [], nextCursor: null });
    const ctx = { ...test.ctx, catalog: catalogFor(['discours']) };
    const range = { from: iso(0), to: iso(MINUTE), stepSeconds: 60 };
    const refused = [readPresence(ctx, { limit: 10 }), readPresenceHistory(ctx, range)];
    for (const problem of await Promise.all(refused.map(problemOf)))
      expect([problem.status, problem.message]).toEqual([404, expect.stringContaining('users online')]);
  });

  it('may be members that are no ids', async () => {
    const long = 'x'.repeat(10_000);
    await test.redis.sadd(
      KEY,
      'a:b',
      '',
      long,
      'y'.repeat(10_000),
      TOKEN,
      '*',
      '😀',
      Buffer.from([0xff, 0x3a]),
    );
    await user('*', 'Star');
    await user('😀', 'Smile');
    const found = await get();
    expect(rowsOf(found)).toEqual({
      'a:b': [null, false, false],
      '': [null, false, false],
      [`${'x'.repeat(150)}…${'x'.repeat(50)}`]: [null, null, false],
      [`${'y'.repeat(150)}…${'y'.repeat(50)}`]: [null, null, false],
      '•••': [null, false, false],
      '*': ['Star', true, true],
      '😀': ['Smile', true, true],
      '\\xff:': [null, false, false],
    });
    expect(new Set(found.items.map(({ memberId }) => memberId)).size).toBe(8);
    expect(found).toMatchObject({ online: 8, withoutProfile: 4 });
    expect(JSON.stringify(found)).not.toContain(Buffer.from(TOKEN).toString('base64url').slice(0, 30));
  });

  it.each([90, 3000])('are paged, each once, of %i', { tags: ['long'] }, async (count) => {
    const ids = Array.from({ length: count }, (_, i) => `u${i}`);
    await test.redis.sadd(KEY, ...ids);
    const found = await withRepeatedElements(test, () => allPages((asked) => get(asked), 70));
    expect(found.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect((await get()).withoutProfile).toBe(count);
  });

  it('are found by id and by name, without case', async () => {
    const ids = Array.from({ length: 400 }, (_, i) => `u${i}`);
    await test.redis.sadd(KEY, ...ids);
    await user('u77', 'Ада Лавлейс');
    await user('u78', 'U399 is my name');
    const search = async (q: string, limit = 50) =>
      (await allPages((asked) => get({ ...asked, q }), limit)).map(({ id }) => id).sort();
    expect(await search('лавлЕЙС')).toEqual(['u77']);
    expect(await search('U399')).toEqual(['u399', 'u78']);
    expect(await search('u399', 7)).toEqual(['u399', 'u78']);
    expect((await get({ q: 'u399', limit: 1 })).items.map(({ id }) => id)).toEqual(['u399']);
    expect(await search('u39')).toHaveLength(12);
    expect(await search('*')).toEqual([]);
  });

  it('are not checked for profiles where there are more than 5000', { tags: ['long'] }, async () => {
    await test.redis.sadd(KEY, ...Array.from({ length: 5001 }, (_, i) => `u${i}`));
    expect(await get()).toMatchObject({ online: 5001, withoutProfile: null });
    await test.redis.srem(KEY, 'u0');
    const first = await get();
    expect(first).toMatchObject({ online: 5000, withoutProfile: 5000 });
    expect(await get({ cursor: first.nextCursor! })).toMatchObject({ online: 5000, withoutProfile: null });
  });

  it('may be in a sorted set; a key of another type is a 409', async () => {
    await test.redis.zadd(KEY, 1700000000, 'u1', 1.5, 'u2');
    await user('u1', 'Ada');
    const found = await get();
    expect(found).toMatchObject({ online: 2, withoutProfile: 1 });
    expect(found.items.map(({ id, score }) => [id, score])).toEqual([
      ['u2', '1.5'],
      ['u1', '1700000000'],
    ]);
    expect((await get({ q: 'ADA' })).items.map(({ id, score }) => [id, score])).toEqual([
      ['u1', '1700000000'],
    ]);
    await test.redis.del(KEY);
    await test.redis.rpush(KEY, 'u1');
    const refused = [problemOf(get()), problemOf(offline({ userId: 'u1' }))];
    for (const { status, message } of await Promise.all(refused))
      expect([status, message]).toEqual([409, expect.stringContaining('neither a set nor a sorted set')]);
  });

  it('are refused to a cursor of another server process', async () => {
    await test.redis.sadd(KEY, ...Array.from({ length: 1000 }, (_, i) => `u${i}`));
    const { nextCursor } = await get();
    await get({ cursor: nextCursor });
    await test.restart();
    expect((await problemOf(get({ cursor: nextCursor }))).code).toBe('cursor_expired');
  });
});

const offline = (raw: object, role: 'admin' | 'support' | 'product' = 'admin', connection = test.handle) =>
  runCommand(setOfflineCommand, { actor: testActor(role), requestId: randomUUID(), connection, raw });

const undo = async ({ auditId }: { auditId: string }) =>
  setOfflineCommand.undo!(test.ctx, (await readUndo(test.ctx.store, auditId))!);

const lastEntry = async () => {
  const { items } = await listEntries(test.ctx.store, { limit: 1 });
  return items[0]!;
};

describe('taking a user offline', () => {
  it('removes the member, and undo adds it again', async () => {
    await test.redis.sadd(KEY, 'u1', 'u2');
    const taken = await offline({ userId: 'u1', reason: 'asked for it' });
    expect(taken).toMatchObject({ removed: true, online: 1 });
    expect(taken.undoUntil).toBeTruthy();
    expect(await test.redis.smembers(KEY)).toEqual(['u2']);
    expect(await lastEntry()).toMatchObject({
      action: 'presence.setOffline',
      target: 'u1',
      reason: 'asked for it',
    });
    expect(await undo(taken)).toEqual({ undone: 1, conflicts: [] });
    expect((await test.redis.smembers(KEY)).sort()).toEqual(['u1', 'u2']);
  });

  it('removes a member once, though several ask at the same time and it is the last one', async () => {
    for (let round = 0; round < 10; round++) {
      await test.redis.sadd('onlines', 'u1');
      const done = await Promise.all([offline({ userId: 'u1' }), offline({ userId: 'u1' })]);
      expect(done.filter(({ removed }) => removed)).toHaveLength(1);
    }
  });

  it('answers that somebody is not online, and offers no undo', async () => {
    expect(await offline({ userId: 'u1' })).toMatchObject({ removed: false, online: 0 });
    await test.redis.sadd(KEY, 'u2');
    const answer = await offline({ userId: 'u1' });
    expect(answer).toMatchObject({ removed: false, online: 1 });
    expect(answer.undoUntil ?? null).toBeNull();
    await test.redis.del(KEY);
    await test.redis.zadd(KEY, 1, 'u2');
    expect(await offline({ userId: 'u1' })).toMatchObject({ removed: false, online: 1 });
  });

  it('is not undone for somebody who came back', async () => {
    await test.redis.sadd(KEY, 'u1');
    const taken = await offline({ userId: 'u1' });
    await test.redis.sadd(KEY, 'u1', 'u2');
    expect(await undo(taken)).toEqual({
      undone: 0,
      conflicts: [{ what: 'u1', why: 'Already online again.' }],
    });
    expect((await test.redis.smembers(KEY)).sort()).toEqual(['u1', 'u2']);
  });

  it('is undone with the TTL and the score, though the key was deleted with its last member', async () => {
    await test.redis.zadd(KEY, 17.25, 'u1');
    await test.redis.expire(KEY, 1000);
    const taken = await offline({ userId: 'u1' });
    expect(await test.redis.exists(KEY)).toBe(0);
    expect(await undo(taken)).toMatchObject({ undone: 1 });
    expect(await test.redis.zscore(KEY, 'u1')).toBe('17.25');
    expect(await test.redis.ttl(KEY)).toBeGreaterThan(990);
  });

  it('is undone where others came or left meanwhile, and is a conflict with another type', async () => {
    await test.redis.sadd(KEY, 'u1');
    const first = await offline({ userId: 'u1' });
    await test.redis.sadd(KEY, 'u2');
    expect(await undo(first)).toMatchObject({ undone: 1 });
    const second = await offline({ userId: 'u1' });
    await test.redis.del(KEY);
    expect(await undo(second)).toMatchObject({ undone: 1 });
    expect(await test.redis.smembers(KEY)).toEqual(['u1']);
    const third = await offline({ userId: 'u1' });
    await test.redis.set(KEY, 'x');
    expect(await undo(third)).toMatchObject({
      undone: 0,
      conflicts: [{ what: 'u1', why: 'The key has another type now.' }],
    });
  });

  it('takes members that are no ids by their member id, and no secret reaches the audit log', async () => {
    await test.redis.sadd(KEY, '', TOKEN, Buffer.from([0xff, 0x3a]), 'x'.repeat(8192));
    for (const { memberId, id } of (await get()).items) {
      const taken = await offline({ memberId });
      expect([id, taken.removed]).toEqual([id, true]);
      expect(JSON.stringify(await lastEntry())).not.toContain(TOKEN.slice(0, 20));
    }
    await test.redis.sadd(KEY, TOKEN, 'x'.repeat(8193));
    await offline({ userId: TOKEN });
    expect((await lastEntry()).target).toBe('•••');
    const [first] = (await get()).items;
    const refused = await problemOf(offline({ memberId: first!.memberId }));
    expect([refused.status, JSON.stringify(refused.extensions)]).toEqual([
      400,
      expect.stringContaining('key inspector'),
    ]);
  });

  it('refuses wrong roles, bad input, a read-only connection and production without a confirmation', async () => {
    await test.redis.sadd(KEY, 'u1');
    for (const role of ['support', 'product'] as const)
      expect((await problemOf(offline({ userId: 'u1' }, role))).status).toBe(403);
    for (const raw of [
      {},
      { userId: '' },
      { userId: 'u1', memberId: 'dTE' },
      { memberId: 's.dTE' },
      { memberId: '!' },
    ])
      expect([raw, (await problemOf(offline(raw))).status]).toEqual([raw, 400]);
    for (const [change, code] of [
      [{ readOnly: true }, 'read_only'],
      [{ environment: 'production' }, 'confirmation_required'],
    ] as const) {
      const connection = openConnection({ ...test.handle.config, ...change });
      expect((await problemOf(offline({ userId: 'u1' }, 'admin', connection))).code).toBe(code);
      connection.topology.close();
    }
    expect(await test.redis.smembers(KEY)).toEqual(['u1']);
  });
});

describe('users online over time', () => {
  /** The beginning of an hour. */
  const T = 1_800_000_000_000;
  const history = async (stepSeconds: number, minutes = 10) => {
    const ctx = test.as({ now: () => T + minutes * MINUTE });
    const range = { from: iso(T), to: iso(T + minutes * MINUTE), stepSeconds };
    const { points } = presenceContracts.history.result.parse(
      await readPresenceHistory(ctx, presenceContracts.history.input.parse(range)),
    );
    return points.map(({ at, online }) => [(Date.parse(at) - T) / SECOND, online]);
  };

  it('are recorded once a minute, with gaps where they could not be counted', async () => {
    const probe = new PresenceProbe(test.handle, store());
    await probe.tick(T);
    for (const second of [5, 30, 60, 90, 120]) {
      await test.redis.sadd(KEY, `u${second}`);
      await probe.tick(T + second * SECOND);
    }
    await test.redis.set(KEY, 'x');
    await probe.tick(T + 3 * MINUTE);
    await test.redis.del(KEY);
    await test.redis.zadd(KEY, 1, 'u1');
    await probe.tick(T + 4 * MINUTE);
    const points = [
      [0, 0],
      [60, 3],
      [120, 5],
      [240, 1],
    ];
    expect(await history(60)).toEqual(points);
    expect(await history(10)).toEqual(points);
    expect(await history(300)).toEqual([[0, 1]]);
  });

  it('have at most 11000 points, as other histories', () => {
    const range = { from: iso(T), to: iso(T + 11_001 * SECOND) };
    const parse = (stepSeconds: number) =>
      presenceContracts.history.input.safeParse({ ...range, stepSeconds });
    expect([parse(1).success, parse(2).success]).toEqual([false, true]);
    expect(presenceContracts.history.input.safeParse({ from: range.to, to: range.from }).success).toBe(false);
  });
});
