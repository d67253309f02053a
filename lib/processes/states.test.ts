import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { sharedLocks } from '@/lib/locks/shared-locks';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { listStates } from './reads';
import { processContracts } from './schema';
import { sharedStates } from './shared-states';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterEach(() => void vi.restoreAllMocks());
afterAll(() => test.close());

/** Bytes that the server sends for this. */
const sentFor = async (work: () => Promise<unknown>, { redis } = test) => {
  const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
  const before = await sent();
  await work();
  return (await sent()) - before;
};

/** As they are stored now: tests do not wait for the next pass. */
const list = async (raw: object = {}) => {
  forget('role keys');
  sharedStates.outdate(test.handle);
  const { input, result } = processContracts.list;
  return result.parse(await listStates(test.ctx, input.parse(raw)));
};
const keysOf = ({ items }: { items: { key: string }[] }) => items.map(({ key }) => key);
const secondsAgo = (seconds: number): string => String(Math.floor(Date.now() / SECOND) - seconds);
const write = async (key: string, fields: Record<string, string>, ttl?: number) => {
  await test.redis.hset(key, fields);
  if (ttl !== undefined) await test.redis.expire(key, ttl);
};

it('lists processes with stage, progress, age, fields and what is left', async () => {
  await write(
    'state:migration:2024-01',
    {
      status: 'running',
      processed: '30',
      total: '120',
      started_at: secondsAgo(90),
      updated_at: iso(Date.now() - 20 * SECOND),
      api_token: 'b7f1d8a25c0e4c1b9f3e',
      note: 'hello',
    },
    600,
  );
  const found = await list();
  expect(found).toMatchObject({ total: 1, stuck: 0, isComplete: true, processes: ['migration'] });
  const [state] = found.items;
  expect(state).toMatchObject({
    key: 'state:migration:2024-01',
    process: 'migration',
    id: '2024-01',
    type: 'hash',
    status: 'running',
    stage: 'running',
    progress: 0.25,
    fieldsTotal: 7,
    ttlSeconds: 600,
    maxTtlSeconds: 3600,
    stuck: false,
    stuckReasons: [],
    problem: null,
    app: 'discours',
  });
  expect(state!.ageSeconds).toBeGreaterThanOrEqual(90);
  expect(state!.ageSeconds).toBeLessThan(95);
  expect(state!.updatedSecondsAgo).toBeGreaterThanOrEqual(20);
  const fields = Object.fromEntries(state!.fields.map(({ name, ...field }) => [name, field]));
  expect(fields.note).toEqual({ value: 'hello', masked: false, truncated: false, time: null });
  expect(fields.api_token).toEqual({ value: null, masked: true, truncated: false, time: null });
  expect(fields.started_at!.time).toMatch(/Z$/);
  expect(fields.processed!.time).toBeNull();
  expect(JSON.stringify(found)).not.toContain('b7f1d8a2');
});

it('lists stuck ones first, then the oldest', { tags: ['long'] }, async () => {
  await write('state:a:1', { status: 'running', started_at: secondsAgo(60) }, 600);
  await write('state:b:1', { status: 'running', started_at: secondsAgo(600) }, 600);
  await write('state:c:1', { status: 'done' });
  await write('state:d:1', { status: 'running', started_at: secondsAgo(30) });
  await write('state:e:1', { status: 'running', started_at: secondsAgo(7200) }, 600);
  const updated = { updated_at: String(Date.now() - 6 * MINUTE) };
  await write('state:f:1', { status: 'running', started_at: secondsAgo(900), ...updated }, 600);
  const found = await list();
  expect(keysOf(found)).toEqual(['e', 'f', 'd', 'b', 'a', 'c'].map((name) => `state:${name}:1`));
  expect(found.items.map(({ stuckReasons }) => stuckReasons)).toEqual([
    ['tooOld'],
    ['notUpdated'],
    ['noTtl'],
    [],
    [],
    [],
  ]);
  expect(found).toMatchObject({ total: 6, stuck: 3 });
  expect(found.stages).toEqual({ running: 5, finished: 1, waiting: 0, failed: 0, unknown: 0 });
  expect(await allPages(async (page) => list(page), 2)).toHaveLength(6);
  expect(keysOf(await list({ stage: 'stuck' }))).toEqual(['state:e:1', 'state:f:1', 'state:d:1']);
  expect(keysOf(await list({ stage: 'finished' }))).toEqual(['state:c:1']);
  expect(keysOf(await list({ process: 'a' }))).toEqual(['state:a:1']);
  expect(keysOf(await list({ q: 'STATE:B' }))).toEqual(['state:b:1']);
});

it('reads states that are strings: JSON objects, and words', async () => {
  await test.redis.set(
    'state:sync:1',
    JSON.stringify({ status: 'failed', progress: 40, extra: { a: 1 } }),
    'EX',
    60,
  );
  await test.redis.set('state:sync:2', 'running', 'EX', 60);
  await test.redis.set('state:sync:3', '{"status": "running", ', 'EX', 60);
  await test.redis.set('state:sync:4', Buffer.from([0xff, 0x00]), 'EX', 60);
  await test.redis.set('state:sync:5', 'x'.repeat(5_000_000), 'EX', 60);
  await test.redis.rpush('state:sync:6', 'a');
  await test.redis.expire('state:sync:6', 60);
  const rows = Object.fromEntries((await list()).items.map((item) => [item.id ?? '', item]));
  expect(rows['1']).toMatchObject({ stage: 'failed', status: 'failed', progress: 0.4, problem: null });
  expect(rows['1']!.fields.find(({ name }) => name === 'extra')?.value).toBe('{"a":1}');
  expect(rows['2']).toMatchObject({ stage: 'running', status: 'running', fields: [], problem: null });
  for (const id of ['3', '4', '5'])
    expect(rows[id]).toMatchObject({ stage: 'unknown', problem: 'unreadable', fields: [], stuck: false });
  expect(rows['6']).toMatchObject({ problem: 'wrongType', type: 'list', ttlSeconds: 60 });
});

it('reads a bounded part of 200 000 fields, and what decides among them', async () => {
  const key = 'state:huge:1';
  const fill = "for i = 1, 200000 do redis.call('HSET', KEYS[1], 'f' .. i, 'x') end";
  await test.redis.eval(fill, 1, key);
  await test.redis.hset(key, { status: 'running', processed: '5', total: '10', big: 'b'.repeat(2_000_000) });
  let items: Awaited<ReturnType<typeof list>>['items'] = [];
  const sent = await sentFor(async () => {
    ({ items } = await list());
  });
  expect(sent).toBeLessThan(50_000);
  expect(items[0]).toMatchObject({ stage: 'running', progress: 0.5, fieldsTotal: 200_004 });
  expect(items[0]!.fields).toHaveLength(50);
  expect(JSON.stringify(items).length).toBeLessThan(10_000);
}, 30_000);

it.skipIf(IS_REDIS_6)(
  'reads in the background only what decides: a few states at a time, on the client of scans',
  { tags: ['long'] },
  async () => {
    const large = Object.fromEntries(Array.from({ length: 48 }, (_, i) => [`note${i}`, 'x'.repeat(8000)]));
    for (let i = 0; i < 60; i++)
      await write(`state:job:${i}`, { status: 'running', State: 'x', ...large }, 600);
    const [node] = test.handle.topology.primaries();
    const client = vi.spyOn(node!, 'client');
    const pause = vi.spyOn(test.handle.budget, 'pauseBetween');
    forget('role keys');
    sharedStates.outdate(test.handle);
    const sent = await sentFor(async () => {
      const { found } = await sharedStates.current(test.handle, test.ctx.catalog);
      expect(found.map(({ values }) => values.get('status'))).toEqual(Array(60).fill('running'));
    });
    // All of their fields are 23 MB.
    expect(sent).toBeLessThan(600_000);
    expect(new Set(client.mock.calls.map(([purpose]) => purpose))).toEqual(new Set(['scan']));
    expect(pause.mock.calls.filter(([kind]) => kind === 'fixed')).toHaveLength(1);
  },
);

it('shows what is hostile as text, cut', async () => {
  await write(
    'state:<script>:"1"',
    { '<b>x</b>': '<img src=x onerror=alert(1)>', long: 'y'.repeat(9000) },
    60,
  );
  await test.redis.hset('state:nightly', { status: '\u202eevil\n' });
  const rows = Object.fromEntries((await list()).items.map((item) => [item.key, item]));
  expect(rows['state:nightly']).toMatchObject({ process: null, id: null, stuckReasons: ['noTtl'] });
  const { fields, process } = rows['state:<script>:"1"']!;
  expect(process).toBe('<script>');
  expect(fields.find(({ name }) => name === 'long')).toMatchObject({ truncated: true });
  expect(fields.find(({ name }) => name === 'long')!.value!.length).toBeLessThanOrEqual(1024);
  expect(fields.find(({ name }) => name === '<b>x</b>')?.value).toBe('<img src=x onerror=alert(1)>');
});

it('ends a page of large fields early, and loses none', { tags: 'long' }, async () => {
  const large = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`note${i}`, 'a b '.repeat(256)]));
  for (let i = 0; i < 60; i++) await write(`state:big:${i}`, large, 600);
  const first = await list({ limit: 1000 });
  expect(first.items.length).toBeLessThan(60);
  expect(first.nextCursor).not.toBeNull();
  const all = await allPages(
    async ({ cursor }) => list({ limit: 1000, ...(cursor !== undefined && { cursor }) }),
    1000,
  );
  expect(new Set(keysOf({ items: all })).size).toBe(60);
});

it('is empty without states', async () => {
  expect(await list()).toMatchObject({ items: [], nextCursor: null, total: 0, stuck: 0, processes: [] });
});

it('reads no large values of a server that cannot cut them', async () => {
  const old = await testContext({ apps: ['discours'], redisArgs: WITHOUT_SCRIPTS });
  try {
    const large = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`note${i}`, 'x'.repeat(200_000)]));
    await old.redis.hset('state:large:1', { status: 'running', progress: '0.5', ...large });
    await old.redis.hset('state:small:1', { status: 'done', note: 'x' });
    await old.redis.hset('lock:large:1', { owner: 'me', ...large });
    const { input } = processContracts.list;
    const sent = await sentFor(async () => {
      const { items } = await listStates(old.ctx, input.parse({}));
      expect(items).toMatchObject([
        { key: 'state:large:1', stage: 'running', progress: 0.5, fields: [], fieldsTotal: 22 },
        { key: 'state:small:1', stage: 'finished', fieldsTotal: 2 },
      ]);
      const { found } = await sharedLocks.current(old.handle, old.ctx.catalog);
      expect(found).toMatchObject([{ stored: { state: null, owner: null } }]);
    }, old);
    expect(sent).toBeLessThan(50_000);
  } finally {
    await old.close();
  }
});
