import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { forgetEnv } from '@/lib/configuration';
import type { Contract } from '@/lib/contract';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { repairWindow, resetWindow } from './commands';
import { closeLimits } from './limits';
import { currentPass, outdatePass, passForPage } from './pass';
import { listWindows } from './reads';
import { refusedEvents } from './refused';
import { type RateWindow, rateLimitContracts } from './schema';
import { whatIf } from './what-if';

const KEY = 'rate_limits';
const BLOCKED = 'DisabledProjectsSet';
const NOW = 1_737_483_600;
const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const id = (n: number) => n.toString(16).padStart(24, '0');

let test: TestContext;
let folder: string;
beforeAll(async () => {
  test = await testContext({ apps: ['hawk'], hawk: { eventsLimit: 100, eventsPeriodSeconds: 60 } });
});
beforeEach(async () => {
  await test.empty();
  await newPass();
});
afterAll(async () => {
  await closeLimits();
  await test.close();
});

const ctxAt = (seconds: number) => test.as({ now: () => seconds * 1000 });

const page = async (raw: object = {}, seconds = NOW) => {
  const input = rateLimitContracts.list.input.parse(raw);
  return rateLimitContracts.list.result.parse(await listWindows(ctxAt(seconds), input));
};

/** The rows of all pages. */
const all = async (raw: object = {}, seconds = NOW): Promise<RateWindow[]> => {
  const found: RateWindow[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page({ ...raw, ...(cursor !== undefined && { cursor }) }, seconds);
    found.push(...items);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
};

/** Waits for a pass that began after this call. */
const newPass = async () => {
  const since = Date.now();
  outdatePass(test.handle, test.ctx.catalog);
  let began = 0;
  while (began < since) began = (await currentPass(test.handle, test.ctx.catalog, 10_000)).startedAt;
};

const set = async (fields: Record<string, string>) => {
  await test.redis.hset(KEY, fields);
  await newPass();
};

const run = <C extends Contract>(
  command: Command<C>,
  raw: object,
  role: Parameters<typeof testActor>[0] = 'admin',
) => runCommand(command, { actor: testActor(role), requestId: randomUUID(), connection: test.handle, raw });

const undo = async <C extends Contract>(command: Command<C>, { auditId }: { auditId: string }) =>
  command.undo!(test.ctx, (await readUndo(test.ctx.store, auditId))!);

const EVERY_STATE = {
  [id(1)]: `${NOW - 10}:100`,
  [id(2)]: `${NOW - 10}:80`,
  [id(3)]: `${NOW - 10}:79`,
  [id(4)]: `${NOW - 60}:100`,
  [id(5)]: 'reset by hand',
};

describe('the list', () => {
  it('shows every state by use, with what is left and when it resets', async () => {
    await set(EVERY_STATE);
    await test.redis.sadd(BLOCKED, id(3));
    const { items, ...rest } = await page();
    const shown = items.map(
      ({ projectId, state, count, remaining, use, resetsAt, windowStart, blocked }) => ({
        projectId,
        row: [state, count, remaining, use, resetsAt, windowStart, blocked],
      }),
    );
    expect(shown).toEqual([
      { projectId: id(5), row: ['unreadable', null, 0, null, null, null, false] },
      { projectId: id(1), row: ['limited', 100, 0, 1, at(NOW + 50), at(NOW - 10), false] },
      { projectId: id(2), row: ['near', 80, 20, 0.8, at(NOW + 50), at(NOW - 10), false] },
      { projectId: id(3), row: ['ok', 79, 21, 0.79, at(NOW + 50), at(NOW - 10), true] },
      { projectId: id(4), row: ['expired', 100, 100, 0, at(NOW), at(NOW - 60), false] },
    ]);
    expect(items[0]).toMatchObject({
      raw: 'reset by hand',
      limit: 100,
      limitSource: 'default',
      periodSource: 'default',
      project: null,
    });
    expect(rest).toMatchObject({
      counts: { limited: 1, near: 1, ok: 1, expired: 1, unlimited: 0, unreadable: 1 },
      total: 5,
      complete: true,
      progress: 1,
      nextCursor: null,
      limits: { source: 'default', status: 'ok', stale: false, problems: [] },
    });
  });

  it('is filtered by state, ordered by count, and searched in fields', async () => {
    await set({ ...EVERY_STATE, 'not an id': `${NOW}:5000` });
    const ids = (rows: RateWindow[]) => rows.map(({ field }) => field);
    expect(ids(await all({ state: 'near' }))).toEqual([id(2)]);
    expect(ids(await all({ state: 'limited' }))).toHaveLength(2);
    expect(ids(await all({ sort: 'count' })).slice(0, 1)).toEqual(['not an id']);
    expect(ids(await all({ sort: 'count' })).slice(-1)).toEqual([id(5)]);
    expect(ids(await all({ q: 'an id' }))).toEqual(['not an id']);
    expect(ids(await all({ q: 'nothing like it' }))).toEqual([]);
  });

  it('finds a project without a window by its exact id', async () => {
    await set(EVERY_STATE);
    expect(await page({ q: id(77) })).toMatchObject({
      items: [{ projectId: id(77), state: 'ok', count: 0, remaining: 100, use: 0, raw: null, etag: null }],
      nextCursor: null,
    });
    expect((await page({ q: id(77), state: 'limited' })).items).toEqual([]);
    expect((await page({ q: id(2) })).items).toMatchObject([{ projectId: id(2), state: 'near' }]);
    expect((await page({ q: id(77).slice(1) })).items).toEqual([]);
  });

  it.each([
    [90, 7],
    [5000, 100],
    [5000, 1000],
  ])('pages %i windows by %i, each once and in order', { tags: ['long'] }, async (total, limit) => {
    await set(Object.fromEntries(Array.from({ length: total }, (_, n) => [id(n), `${NOW}:${n % 97}`])));
    for (const sort of ['use', 'count']) {
      const found = await all({ limit, sort });
      expect(new Set(found.map(({ field }) => field)).size).toBe(total);
      const counts = found.map(({ count }) => count!);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    }
  });

  it('counts each project once, though the server returns fields twice', async () => {
    const windows = Array.from({ length: 3000 }, (_, i) => [id(i), `${NOW - 10}:${i % 200}`]);
    await test.redis.hset(KEY, ...windows.flat());
    await newPass();
    const listed = await withRepeatedElements(test, () => all({ limit: 700 }));
    expect(listed).toHaveLength(3000);
    expect(new Set(listed.map(({ field }) => field)).size).toBe(3000);
    const { counts } = await page();
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(3000);
    const chosen = await whatIf(ctxAt(NOW), { limit: 100, periodSeconds: 60 });
    expect(chosen.all).toMatchObject({ projects: 3000, refused: 1500 });
  });

  it('continues in its order after a new pass', async () => {
    await set(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [id(n), `${NOW}:${n % 90}`])));
    const first = await page({ limit: 100 });
    await set({ [id(1000)]: `${NOW}:99`, [id(1001)]: `${NOW}:1` });
    const rest = await all({ limit: 1000, cursor: first.nextCursor! });
    const seen = [...first.items, ...rest].map(({ field }) => field);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain(id(1000));
    expect(seen).toContain(id(1001));
    expect(seen).toHaveLength(301);
  });

  it('pages fields that are too long for a cursor and begin alike', async () => {
    const fields = Array.from({ length: 4 }, (_, n) => `${'x'.repeat(3000)}${n}`);
    await set(Object.fromEntries(fields.map((field) => [field, `${NOW}:1`])));
    const found = await all({ limit: 1 });
    expect(new Set(found.map(({ fieldId }) => fieldId)).size).toBe(4);
    expect(found).toHaveLength(4);
    expect((await page({ limit: 4 })).nextCursor).toBeNull();
  });

  it('shows current rows, and leaves out those deleted since the pass', async () => {
    await set(EVERY_STATE);
    await page();
    await test.redis.hset(KEY, id(2), `${NOW}:3`);
    await test.redis.hdel(KEY, id(1));
    const { items, total } = await page();
    expect(items.map(({ projectId }) => projectId)).not.toContain(id(1));
    expect(items.find(({ projectId }) => projectId === id(2))).toMatchObject({ state: 'ok', count: 3 });
    expect(total).toBe(4);
    expect((await page({ state: 'near' })).items).toEqual([]);
  });

  it('shows fields and values of every kind', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x0a]);
    await test.redis.hset(KEY, bytes, Buffer.from([0xfe, 0x3a]));
    await set({
      '': `${NOW}:1`,
      ['ABCDEF'.repeat(4)]: `${NOW}:1`,
      ['f'.repeat(24)]: `${NOW}000:1`,
      [id(1)]: `${NOW}:9007199254740993`,
      [id(2)]: `${NOW + 1e9}:5`,
      [id(3)]: '-5:3',
      [id(4)]: `${NOW}:${'9'.repeat(400)}`,
      [id(5)]: `${'9'.repeat(400)}:1`,
      [id(6)]: '',
      [id(7)]: `x${'1'.repeat(100_000)}`,
      '<script>': '99999999999999:1',
    });
    const rows = new Map((await all()).map((row) => [row.field, row]));
    expect(rows.size).toBe(12);
    expect(rows.get('\\xff\\x00\\x0a')).toMatchObject({
      projectId: null,
      state: 'unreadable',
      raw: '\\xfe:',
    });
    expect(rows.get('')).toMatchObject({ projectId: null, fieldId: '', state: 'ok' });
    // A start in milliseconds is the year 57 000, which is not a valid date.
    expect(rows.get('f'.repeat(24))).toMatchObject({ windowStart: null, resetsAt: null });
    expect(rows.get('ABCDEF'.repeat(4))).toMatchObject({ projectId: null });
    expect(rows.get(id(1))).toMatchObject({ state: 'limited', count: 9_007_199_254_740_992, use: 1 });
    expect(rows.get(id(2))).toMatchObject({
      state: 'ok',
      windowStart: at(NOW + 1e9),
      resetsAt: at(NOW + 1e9 + 60),
    });
    expect(rows.get(id(3))).toMatchObject({ state: 'expired', windowStart: at(5), count: 3 });
    expect(rows.get(id(4))).toMatchObject({ state: 'limited', count: null });
    expect(rows.get(id(5))).toMatchObject({ state: 'ok', windowStart: null, resetsAt: null });
    expect(rows.get(id(6))).toMatchObject({ state: 'unreadable', raw: '' });
    expect(rows.get(id(7))).toMatchObject({ state: 'unreadable' });
    expect(rows.get(id(7))!.raw!.length).toBeLessThan(300);
  });

  it('is read again at once when another process changed a window', async () => {
    // More fields than one call reads: the pass rests, and readers share it.
    const fields = Array.from({ length: 3000 }, (_, i) => [id(i), `${NOW}:1`]);
    await set(Object.fromEntries(fields));
    const pass = () => passForPage(test.ctx, 10_000);
    const before = await pass();
    expect(await pass()).toBe(before);
    await test.storeRedis.set('keyward:changed:rate-limits:main', 'another');
    expect(await pass()).not.toBe(before);
  });

  it('is a 409 for a key of the wrong type, empty without a key, and a 404 without an error collector', async () => {
    expect(await page()).toMatchObject({ items: [], total: 0, complete: true, nextCursor: null });
    await test.redis.set(KEY, 'x');
    outdatePass(test.handle, test.ctx.catalog);
    const refused = await problemOf(page());
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('is not a hash')]);
    const catalog = catalogFor(['qianxun']);
    const elsewhere = listWindows({ ...test.ctx, catalog }, rateLimitContracts.list.input.parse({}));
    expect((await problemOf(elsewhere)).status).toBe(404);
  });

  it.each([{ cursor: 'x' }, { cursor: '1.2' }, { cursor: '0.0.0.0' }])('refuses %j', async (raw) => {
    await set(EVERY_STATE);
    expect((await problemOf(page(raw))).status).toBe(400);
  });

  it('shows an unreadable blocked set as unknown', async () => {
    await set(EVERY_STATE);
    await test.redis.set(BLOCKED, 'x');
    expect((await page()).items.map(({ blocked }) => blocked)).toEqual([null, null, null, null, null]);
  });
});

describe('with limits of a folder', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'limits-'));
    const files = {
      plans: [{ _id: { $oid: id(900) }, rateLimitSettings: { N: 10, T: 3600 } }],
      workspaces: [{ _id: { $oid: id(800) }, tariffPlanId: { $oid: id(900) } }],
      projects: [
        { _id: { $oid: id(1) }, workspaceId: { $oid: id(800) } },
        { _id: { $oid: id(2) }, workspaceId: { $oid: id(800) }, rateLimitSettings: { N: 1000 } },
        { _id: { $oid: id(3) }, workspaceId: { $oid: id(801) } },
      ],
    };
    for (const [name, documents] of Object.entries(files))
      await writeFile(
        join(folder, `${name}.json`),
        documents.map((each) => `${JSON.stringify(each)}\n`).join(''),
      );
    process.env.HAWK_LIMITS_DIR = folder;
    forgetEnv();
    await closeLimits();
  });
  afterAll(async () => {
    delete process.env.HAWK_LIMITS_DIR;
    forgetEnv();
    await closeLimits();
    await rm(folder, { recursive: true, force: true });
  });

  it('each project has its limit, and the page shows its source', { tags: ['long'] }, async () => {
    await set(Object.fromEntries([1, 2, 3, 4].map((n) => [id(n), `${NOW - 100}:50`])));
    const { items, limits } = await page();
    expect(
      items.map(({ projectId, state, limit, periodSeconds, limitSource, periodSource, project }) => [
        projectId,
        state,
        limit,
        periodSeconds,
        limitSource,
        periodSource,
        project,
      ]),
    ).toEqual([
      [id(1), 'limited', 10, 3600, 'plan', 'plan', 'known'],
      [id(2), 'ok', 1000, 3600, 'project', 'plan', 'known'],
      [id(4), 'expired', 100, 60, 'default', 'default', 'unknown'],
      [id(3), 'unlimited', 0, 0, 'none', 'none', 'known'],
    ]);
    expect(limits).toMatchObject({
      source: 'folder',
      status: 'ok',
      stale: false,
      problems: [],
      projects: 3,
      workspaces: 1,
      plans: 1,
    });
    expect(limits.ageSeconds).toBeLessThan(60);
    await rm(join(folder, 'plans.json'));
    await expect.poll(async () => (await page()).limits.stale, { timeout: 5000 }).toBe(true);
    const later = await page();
    expect(later.items[0]).toMatchObject({ projectId: id(1), state: 'limited', limitSource: 'plan' });
    expect(later.limits.problems).toEqual(['plans.json is missing: its last known limits apply.']);
  });

  it('a deleted project is distinguished from one without a limit, also without a default', async () => {
    const { hawk } = test.handle.config;
    const limit = hawk.eventsLimit;
    hawk.eventsLimit = 0;
    try {
      await set(Object.fromEntries([3, 4].map((n) => [id(n), `${NOW - 100}:50`])));
      const summaryOf = ({ projectId, limitSource, project }: RateWindow) => [
        projectId,
        limitSource,
        project,
      ];
      expect((await all()).map(summaryOf).sort()).toEqual([
        [id(3), 'none', 'known'],
        [id(4), 'none', 'unknown'],
      ]);
      expect((await all({ project: 'unknown' })).map(summaryOf)).toEqual([[id(4), 'none', 'unknown']]);
      expect((await all({ project: 'known', q: id(4) })).map(summaryOf)).toEqual([]);
      const input = rateLimitContracts.whatIf.input.parse({ projectId: id(4) });
      expect(await whatIf(ctxAt(NOW), input)).toMatchObject({
        project: { limitSource: 'none', project: 'unknown' },
      });
    } finally {
      hawk.eventsLimit = limit;
    }
  });

  it('a known project without a window is found, unlimited or not', async () => {
    expect((await page({ q: id(3) })).items).toMatchObject([
      { state: 'unlimited', remaining: null, count: 0 },
    ]);
    expect((await page({ q: id(2) })).items).toMatchObject([{ state: 'ok', limit: 1000, remaining: 1000 }]);
  });
});

describe('what if', () => {
  const ask = async (raw: object, seconds = NOW) => {
    const input = rateLimitContracts.whatIf.input.parse(raw);
    return rateLimitContracts.whatIf.result.parse(await whatIf(ctxAt(seconds), input));
  };

  it('compares who would be refused with who is', async () => {
    await set(EVERY_STATE);
    const counted = async (limit: number, periodSeconds: number) => (await ask({ limit, periodSeconds })).all;
    const common = { projects: 5, refusedAtPresent: 2, complete: true };
    expect(await counted(80, 60)).toMatchObject({
      ...common,
      refused: 3,
      more: 1,
      newlyRefused: 1,
      newlyAccepted: 0,
    });
    expect(await counted(200, 60)).toMatchObject({ ...common, refused: 1, more: -1, newlyAccepted: 1 });
    expect(await counted(100, 61)).toMatchObject({ ...common, refused: 3, newlyRefused: 1 });
    expect(await counted(0, 60)).toMatchObject({ ...common, refused: 0, more: -2, newlyAccepted: 2 });
    expect(await counted(1, 0)).toMatchObject({ ...common, refused: 1 });
  });

  it('answers what happens to the next event of a project under both limits, and when one is accepted', async () => {
    await set(EVERY_STATE);
    await test.redis.sadd(BLOCKED, id(2));
    const one = async (n: number, more: object = {}) => (await ask({ projectId: id(n), ...more })).project;
    const accepted = { accepted: true, status: 200, message: null, acceptedAt: at(NOW) };
    const limited = { accepted: false, status: 402, message: 'Rate limit exceeded' };
    expect(await one(1)).toMatchObject({
      present: { ...limited, acceptedAt: at(NOW + 50) },
      chosen: null,
      releases: 'accepted',
      count: 100,
      limitSource: 'default',
    });
    expect(await one(1, { limit: 101, periodSeconds: 60 })).toMatchObject({ chosen: accepted });
    expect(await one(1, { limit: 50, periodSeconds: 3600 })).toMatchObject({
      chosen: { ...limited, acceptedAt: at(NOW + 3590) },
    });
    expect(await one(2)).toMatchObject({
      present: { status: 402, message: 'Project has exceeded the events limit', acceptedAt: null },
      blocked: true,
      releases: 'refused',
    });
    expect(await one(4)).toMatchObject({ present: { ...accepted, state: 'expired' } });
    expect(await one(5)).toMatchObject({
      present: { status: 402, message: 'Failed to update rate limit', acceptedAt: null },
      raw: 'reset by hand',
    });
    expect(await one(5, { limit: 0, periodSeconds: 0 })).toMatchObject({ chosen: accepted });
    expect(await one(77)).toMatchObject({ present: accepted, count: 0, windowStart: null, raw: null });
    await set({ [id(6)]: `${'9'.repeat(30)}:100` });
    expect(await one(6)).toMatchObject({ present: { ...limited, acceptedAt: null } });
  });

  it('of a key that is not a hash: the collector refuses every project with a limit', async () => {
    await test.redis.set(KEY, 'x');
    outdatePass(test.handle, test.ctx.catalog);
    expect((await ask({ projectId: id(1) })).project).toMatchObject({
      present: { message: 'Failed to update rate limit', acceptedAt: null },
      count: null,
    });
    expect((await problemOf(ask({ limit: 1, periodSeconds: 1 }))).status).toBe(409);
  });

  it.each([{}, { limit: 5 }, { periodSeconds: 5 }, { limit: -1, periodSeconds: 5 }, { projectId: 'x' }])(
    'refuses %j',
    (raw) => {
      expect(rateLimitContracts.whatIf.input.safeParse(raw).success).toBe(false);
    },
  );
});

describe('a reset', () => {
  it('removes the window, is audited, and is undone exactly', async () => {
    await set(EVERY_STATE);
    const { items } = await page({ q: id(1) });
    const result = await run(resetWindow, { projectId: id(1), etag: items[0]!.etag, reason: 'asked to' });
    expect(result).toMatchObject({
      projectId: id(1),
      removed: `${NOW - 10}:100`,
      undoUntil: expect.any(String),
    });
    expect(await test.redis.hexists(KEY, id(1))).toBe(0);
    expect((await page()).items.map(({ projectId }) => projectId)).not.toContain(id(1));
    expect((await listEntries(test.ctx.store)).items[0]).toMatchObject({
      action: 'guard.rateLimits.reset',
      target: id(1),
      reason: 'asked to',
      outcome: 'succeeded',
      before: { window: `${NOW - 10}:100` },
      after: { window: null },
    });
    expect(await undo(resetWindow, result)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.hget(KEY, id(1))).toBe(`${NOW - 10}:100`);
    await newPass();
    expect((await page()).items.map(({ projectId }) => projectId)).toContain(id(1));
  });

  it('is not undone over a newer window', async () => {
    await set(EVERY_STATE);
    const result = await run(resetWindow, { projectId: id(1) });
    await test.redis.hset(KEY, id(1), `${NOW}:1`);
    expect(await undo(resetWindow, result)).toMatchObject({ undone: 0, conflicts: [{ what: id(1) }] });
    expect(await test.redis.hget(KEY, id(1))).toBe(`${NOW}:1`);
    await test.redis.del(KEY);
    await test.redis.set(KEY, 'x');
    expect(await undo(resetWindow, result)).toMatchObject({ undone: 0 });
  });

  it('fits the window that was shown while it counts on, and no other one', async () => {
    await set(EVERY_STATE);
    const { etag } = (await page({ q: id(3) })).items[0]!;
    await test.redis.hset(KEY, id(3), `${NOW - 10}:80`);
    expect(await run(resetWindow, { projectId: id(3), etag })).toMatchObject({ removed: `${NOW - 10}:80` });
    await test.redis.hset(KEY, id(3), `${NOW}:1`);
    const refused = await problemOf(run(resetWindow, { projectId: id(3), etag }));
    expect(refused).toMatchObject({ status: 412, code: 'changed' });
    const present = (await page({ q: id(3) })).items[0]!.etag;
    expect(refused.extensions.etag).toBe(present);
    expect(await test.redis.hget(KEY, id(3))).toBe(`${NOW}:1`);
  });

  it('removes fields that are not a project id, whatever their value', async () => {
    const field = Buffer.from([0xff, 0x00]);
    const value = Buffer.concat([Buffer.from([0xfe, 0x00]), Buffer.from('1'.repeat(5000))]);
    await test.redis.hset(KEY, field, value);
    await newPass();
    const row = (await all()).find(({ projectId }) => projectId === null)!;
    const result = await run(resetWindow, { fieldId: row.fieldId, etag: row.etag });
    expect(await test.redis.exists(KEY)).toBe(0);
    await undo(resetWindow, result);
    expect((await test.redis.hgetBuffer(KEY, field as never))?.equals(value)).toBe(true);
  });

  it('loses no event: each is in the removed window or in the next one', async () => {
    await test.redis.hset(KEY, id(1), '0:0');
    let taken = 0;
    let counting = true;
    const counted = (async () => {
      let events = 0;
      while (counting) {
        const script =
          "local c = tonumber(string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '5:0', ':(%d+)')) redis.call('HSET', KEYS[1], ARGV[1], '5:' .. (c + 1))";
        await test.redis.eval(script, 1, KEY, id(1));
        events += 1;
      }
      return events;
    })();
    for (let i = 0; i < 25; i++) {
      const result = await run(resetWindow, { projectId: id(1) }).catch(() => null);
      if (result) taken += Number(result.removed.split(':')[1]);
    }
    counting = false;
    const events = await counted;
    const left = Number(((await test.redis.hget(KEY, id(1))) ?? '5:0').split(':')[1]);
    expect(taken + left).toBe(events);
  });

  it('is a 404 without a window, and a 409 for a key that is not a hash', async () => {
    expect((await problemOf(run(resetWindow, { projectId: id(9) }))).status).toBe(404);
    await set(EVERY_STATE);
    expect((await problemOf(run(resetWindow, { projectId: id(9) }))).status).toBe(404);
    await test.redis.del(KEY);
    await test.redis.set(KEY, 'x');
    expect((await problemOf(run(resetWindow, { projectId: id(1) }))).status).toBe(409);
    expect(await test.redis.get(KEY)).toBe('x');
  });
});

describe('a repair', () => {
  it('removes an unreadable value, so the next event opens a window, and is undone', async () => {
    await set(EVERY_STATE);
    const result = await run(repairWindow, { projectId: id(5) });
    expect(result).toMatchObject({ removed: 'reset by hand', stored: null });
    expect(await test.redis.hexists(KEY, id(5))).toBe(0);
    expect(await undo(repairWindow, result)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.hget(KEY, id(5))).toBe('reset by hand');
  });

  it('replaces it with an expired window', async () => {
    await set(EVERY_STATE);
    const result = await run(repairWindow, { projectId: id(5), replace: true });
    expect(result).toMatchObject({ stored: '0:0' });
    expect((await page({ q: id(5) })).items).toMatchObject([{ state: 'expired', remaining: 100 }]);
    expect(await undo(repairWindow, result)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.hget(KEY, id(5))).toBe('reset by hand');
  });

  it.each([`${NOW}:5`, 'x1:2', `${'1'.repeat(300)}:5`, `${'y'.repeat(5000)}1:2`])(
    'leaves what the collector can read alone',
    async (value) => {
      await set({ [id(1)]: value });
      const refused = await problemOf(run(repairWindow, { projectId: id(1) }));
      expect([refused.status, refused.code]).toEqual([409, 'conflict']);
      expect(await test.redis.hget(KEY, id(1))).toBe(value);
    },
  );
});

describe('changes', () => {
  it.each([resetWindow, repairWindow])(
    'are refused to who may not, and on what is read-only',
    async (command) => {
      await set(EVERY_STATE);
      for (const role of ['support', 'product', 'viewer'] as const)
        expect((await problemOf(run(command as never, { projectId: id(5) }, role))).status).toBe(403);
      const config = { ...test.handle.config, readOnly: true };
      const call = { actor: testActor('admin'), requestId: 'r', raw: { projectId: id(5) } };
      const locked = runCommand(command as never, { ...call, connection: { ...test.handle, config } });
      expect((await problemOf(locked)).status).toBe(423);
      const production = {
        ...test.handle,
        config: { ...test.handle.config, environment: 'production' as const },
      };
      const unconfirmed = runCommand(command as never, { ...call, connection: production });
      expect(await problemOf(unconfirmed)).toMatchObject({ status: 400, code: 'confirmation_required' });
      expect(await test.redis.hget(KEY, id(5))).toBe('reset by hand');
    },
  );

  it.each([
    {},
    { projectId: 'abc' },
    { projectId: id(1), fieldId: 'MQ' },
    { fieldId: 'MR' },
    { fieldId: '***' },
    { projectId: id(1), etag: '' },
    { projectId: id(1), limit: 5 },
  ])('refuse %j', async (raw) => {
    await set(EVERY_STATE);
    expect((await problemOf(run(resetWindow, raw))).status).toBe(400);
    expect(await test.redis.hlen(KEY)).toBe(5);
  });

  it('count their own lookups exactly', async () => {
    await set(EVERY_STATE);
    const counts = async () => {
      const info = await test.redis.info('stats');
      const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
      return [of('keyspace_hits'), of('keyspace_misses')] as const;
    };
    await run(resetWindow, { projectId: id(1) });
    const [before, own] = [await counts(), test.handle.own.snapshot()];
    const result = await run(resetWindow, { projectId: id(2) });
    await run(repairWindow, { projectId: id(5) });
    await problemOf(run(repairWindow, { projectId: id(3) }));
    await problemOf(run(resetWindow, { projectId: id(99) }));
    await undo(resetWindow, result);
    await test.redis.del(KEY);
    await undo(resetWindow, result);
    const [after, mine] = [await counts(), test.handle.own.snapshot()];
    expect([mine.hits - own.hits, mine.misses - own.misses]).toEqual([
      after[0] - before[0],
      after[1] - before[1],
    ]);
  });
});

it('explains that refused events need RedisTimeSeries', async () => {
  const input = { projectId: id(1), from: at(NOW - 3600), to: at(NOW) };
  const parsed = rateLimitContracts.refused.input.parse(input);
  expect(rateLimitContracts.refused.result.parse(await refusedEvents(ctxAt(NOW), parsed))).toEqual({
    projectId: id(1),
    available: false,
    reason: 'RedisTimeSeries is not loaded in this Redis; refused events are recorded nowhere else.',
    granularity: 'minutely',
    points: [],
  });
  expect(rateLimitContracts.refused.input.safeParse({ ...input, from: at(NOW + 1) }).success).toBe(false);
  const month = { ...input, from: at(NOW - 30 * 86_400), granularity: 'minutely' };
  expect(rateLimitContracts.refused.input.safeParse(month).success).toBe(false);
});

/** Stands in for the module, which cannot be installed for tests. */
it('adds refused events up where RedisTimeSeries is loaded', async () => {
  const asked: unknown[] = [];
  const answering = (reply: () => unknown) => {
    const read = async (command: unknown) => {
      asked.push(command);
      return reply();
    };
    return { ...ctxAt(NOW), reader: { ...test.ctx.reader, read: read as typeof test.ctx.reader.read } };
  };
  const input = rateLimitContracts.refused.input.parse({
    projectId: id(1),
    from: at(NOW - 600),
    to: at(NOW),
  });
  const points = [[(NOW - 600) * 1000, Buffer.from('17')]];
  expect(
    await refusedEvents(
      answering(() => points),
      input,
    ),
  ).toMatchObject({
    available: true,
    reason: null,
    points: [{ at: at(NOW - 600), refused: 17 }],
  });
  const key = Buffer.from(`ts:project-events-rate-limited:${id(1)}:minutely`);
  const range = [(NOW - 600) * 1000, NOW * 1000];
  expect(asked).toEqual([['TS.RANGE', key, ...range, 'COUNT', 11_001, 'AGGREGATION', 'SUM', 60_000]]);
  const failing = (message: string) =>
    answering(() => {
      throw new Error(message);
    });
  expect(await refusedEvents(failing('ERR TSDB: the key does not exist'), input)).toMatchObject({
    available: true,
    points: [],
  });
  const week = rateLimitContracts.refused.input.parse({ ...input, from: at(NOW - 5 * 86_400) });
  expect(await refusedEvents(failing('WRONGTYPE Operation against a key'), week)).toMatchObject({
    available: false,
    reason: 'The key of this series has another type.',
    granularity: 'hourly',
  });
  await expect(refusedEvents(failing('ERR something new'), input)).rejects.toThrow('something new');
});
