import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { catalogOf } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { type JobContext, PartialFailure } from '@/lib/jobs/define';
import { readPayload, readRecord } from '@/lib/jobs/record';
import { ScanBudget } from '@/lib/redis/budget';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { DAY, HOUR, MINUTE } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { problemOf } from '@/scripts/testing/problem-of';
import { restartDuring } from '@/scripts/testing/restart';
import { textOf } from '@/scripts/testing/text-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { setSchedule, startAnalysis } from './commands';
import { exportReport } from './export';
import { analysisJob } from './job';
import { getAnalysis, getSchedule, listAnalyses } from './reads';
import { timesOf } from './schedule';
import { scheduledAnalysis } from './scheduled';
import { analysisReport, analysisResult } from './schema';
import { writeReport } from './stored-reports';

let test: TestContext;
const opened: ConnectionHandle[] = [];

beforeAll(async () => {
  test = await testContext({
    apps: ['discours', 'qianxun', 'minidouyin', 'hawk'],
    scan: { chunk: 10, pauseMs: 0, maxAddedLatencyMs: 1000 },
  });
});
beforeEach(() => test.empty());
afterAll(async () => {
  for (const { topology } of opened) topology.close();
  await test.close();
});

/** The same Redis as a user with fewer permissions sees it. */
const without = async (...rules: string[]): Promise<ConnectionHandle> => {
  const name = `limited${opened.length}`;
  await test.redis.call('ACL', 'SETUSER', name, 'on', '>pw', '~*', '&*', '+@all', ...rules);
  const url = test.handle.config.url!.replace('//', `//${name}:pw@`);
  const handle = openConnection({ ...test.handle.config, url });
  opened.push(handle);
  return handle;
};

interface Asked {
  exact?: boolean;
  resume?: string;
  connection?: ConnectionHandle;
  /** Cancels it after its first chunk. */
  cancelled?: boolean;
}

const run = async ({ exact = false, resume, connection = test.handle, cancelled = false }: Asked = {}) => {
  const jobId = randomUUID();
  const controller = new AbortController();
  const progress: JobContext['progress'] = async (done) => {
    if (cancelled && done > 0) controller.abort('cancelled');
  };
  const ctx = {
    ...test.ctx,
    connection,
    jobId,
    signal: controller.signal,
    progress,
    isFaster: () => false,
    ...UNFENCED,
  };
  const ended = analysisJob.run(ctx, { exact, resume: resume ?? null });
  const { result } = await ended.catch((error: unknown) => {
    if (cancelled && error instanceof PartialFailure) return error.outcome;
    throw error;
  });
  const report = analysisReport.parse(await getAnalysis(test.ctx, { id: jobId }));
  expect(analysisResult.parse(result)).toMatchObject({
    id: jobId,
    keys: report.keys,
    complete: report.complete,
  });
  return report;
};

const authors = async (from: number, to: number): Promise<void> => {
  const pipeline = test.redis.pipeline();
  for (let id = from; id < to; id++) pipeline.set(`author:id:${id}`, 'x'.repeat(id % 400), 'EX', 3000);
  await pipeline.exec();
};

const familyIn = ({ families }: Awaited<ReturnType<typeof run>>, id: string) =>
  families.find(({ family }) => family === id);

const BINARY = Buffer.from([0xff, 0x00, 0x3a, 0x80]);

it.skipIf(IS_REDIS_6)(
  'reads encodings, lengths and idle times of a sample beyond 100 000 keys, and says so; exactly, of all',
  { tags: 'long' },
  async () => {
    const [KEYS, LONG] = [130_000, 700];
    await test.redis.eval(
      `for i = 1, ${KEYS} do redis.call('SET', 'author:id:' .. i, i % 2 == 0 and i or string.rep('x', i == 1 and ${LONG} or 100)) end`,
      0,
    );
    const { budget } = test.handle;
    test.handle.budget = new ScanBudget({ ...budget.limits, chunk: 100 });
    try {
      const report = await run();
      expect(report.keys).toBe(KEYS);
      expect(report.detailed).toBeGreaterThan(100_000);
      expect(report.detailed).toBeLessThan(110_000);
      expect(report.lengths.bytes?.of).toBe(report.detailed);
      const [raw, int] = report.byEncoding;
      expect([raw!.encoding, int!.encoding]).toEqual(['raw', 'int']);
      expect(raw!.keys + int!.keys).toBe(KEYS);
      expect(Math.abs(raw!.keys - KEYS / 2)).toBeLessThan(KEYS / 50);
      expect(raw!.memoryBytes! + int!.memoryBytes!).toBeCloseTo(report.memoryBytes!, -1);
      expect(report.families[0]!.encodings).toEqual({ raw: raw!.keys, int: int!.keys });
      // In the sample or not, the length of a big key is known.
      expect(report.biggest[0]).toMatchObject({ key: 'author:id:1', length: LONG });
      expect(report.reason ?? '').not.toContain('could not');
      expect(await run({ exact: true })).toMatchObject({ keys: KEYS, detailed: KEYS });
    } finally {
      test.handle.budget = budget;
    }
  },
);

describe('a report', () => {
  it('has the truth about each type, family, TTL and encoding of four applications', async () => {
    const { redis } = test;
    await redis.set('author:id:1', 'x'.repeat(5000), 'EX', 600);
    await redis.set('author:id:2', '17000');
    await redis.zadd('user_like_4', 1, '27');
    await redis.sadd('follows_4', '1', '2', '3');
    // Bare keys: a user by its fields, others that only look like one.
    await redis.hset('4', { ID: 4, Username: 'toni', Passwd: '123456' });
    await redis.hset('5', { other: 'x' });
    await redis.set('6', 'x');
    await redis.rpush('groups:7:friends', ...Array.from({ length: 300 }, (_, i) => `${i}`.repeat(20)));
    await redis.xadd('odd:stream:1', '*', 'a', 'b');
    await redis.sadd('DisabledProjectsSet', 'a'.repeat(24));
    await redis.set('author:id:none', 'x', 'PX', 90 * MINUTE);
    await redis.set(BINARY, 'x');
    // The console's own key, where its store is in this database.
    await redis.set('keyward:setup-code', 'x');
    // Of no family: another version's.
    await redis.set('keyward:of-another-version', 'x');
    const names = [
      'author:id:1',
      'author:id:2',
      'user_like_4',
      'follows_4',
      '4',
      '5',
      '6',
      'groups:7:friends',
    ];
    const keys = [...names, 'odd:stream:1', 'DisabledProjectsSet', 'author:id:none', BINARY];
    const memory = async (...some: (string | Buffer)[]) => {
      const sizes = await Promise.all(some.map((key) => redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)));
      return (sizes as number[]).reduce((sum, size) => sum + size, 0);
    };
    const report = await run({ exact: true });
    expect(report).toMatchObject({
      complete: true,
      share: 1,
      exact: true,
      scheduled: false,
      keys: keys.length,
      withoutTtl: 10,
      memoryBytes: await memory(...keys),
      own: { keys: 2, memoryBytes: await memory('keyward:setup-code', 'keyward:of-another-version') },
      lengths: { bytes: { of: 5, max: 5000 }, elements: { of: 7, max: 300 } },
      walk: { keys: keys.length + 2, byScript: !IS_REDIS_6 },
      reason: null,
      change: null,
      since: null,
    });
    expect(Object.fromEntries(report.byType.map(({ type, keys }) => [type, keys]))).toEqual({
      string: 5,
      hash: 2,
      set: 2,
      zset: 1,
      list: 1,
      stream: 1,
    });
    for (const { type, encoding, keys } of report.byEncoding) {
      const found = await Promise.all(
        [...names, 'odd:stream:1', 'DisabledProjectsSet', 'author:id:none', BINARY].map(
          async (key) =>
            (await redis.type(key)) === type &&
            (await redis.callBuffer('OBJECT', 'ENCODING', key))?.toString(),
        ),
      );
      expect([type, encoding, keys]).toEqual([
        type,
        encoding,
        found.filter((one) => one === encoding).length,
      ]);
    }
    expect(report.byEncoding.reduce((sum, { keys }) => sum + keys, 0)).toBe(keys.length);
    expect(familyIn(report, 'discours.author-id')).toMatchObject({
      app: 'discours',
      keys: 2,
      memoryBytes: await memory('author:id:1', 'author:id:2'),
      withoutTtl: 1,
      types: { string: 2 },
      encodings: { raw: 1, int: 1 },
      ttl: { max: expect.closeTo(600, -1), histogram: [{ from: 300, to: 900, keys: 1 }] },
      size: { of: 2, max: await memory('author:id:1') },
      lengths: { bytes: { of: 2, max: 5000 }, elements: null },
      idle: { of: 2 },
      biggest: [{ key: 'author:id:1', length: 5000, memoryBytes: await memory('author:id:1') }, {}],
    });
    const counted = Object.fromEntries(report.families.map(({ family, keys }) => [family, keys]));
    expect(counted).toEqual({
      'discours.author-id': 2,
      'minidouyin.user-like': 1,
      'minidouyin.follows': 1,
      'minidouyin.user': 1,
      'qianxun.groups': 1,
      'hawk.disabled-projects': 1,
    });
    expect(report.unclassified.reduce((sum, { keys }) => sum + keys, 0)).toBe(5);
    expect(report.malformed.keys).toBe(1);
    expect(report.biggest[0]).toMatchObject({ key: 'groups:7:friends', type: 'list', length: 300 });
    expect(report.biggest.filter(({ type }) => type === 'string')).toHaveLength(5);
    // No password in a bare name, and no secret id of one.
    expect(JSON.stringify(report)).not.toContain('123456');
  });

  it('compares with an earlier one, new and vanished rows included', async () => {
    await authors(0, 5);
    await test.redis.sadd('follows_4', '1');
    const before = await run();
    await authors(5, 12);
    await test.redis.del('follows_4');
    await test.redis.hset('env_vars:A', 'a', 'b');
    const { id } = await run();
    const now = await getAnalysis(test.ctx, { id, since: before.id });
    expect(now).toMatchObject({ keys: 13, change: { keys: 7 }, since: before.at });
    expect(now.change!.memoryBytes).toBe(now.memoryBytes! - before.memoryBytes!);
    expect(familyIn(now, 'discours.author-id')).toMatchObject({ keys: 12, change: { keys: 7 } });
    const gone = familyIn(before, 'minidouyin.follows')!;
    expect(familyIn(now, 'minidouyin.follows')).toMatchObject({
      keys: 0,
      memoryBytes: 0,
      biggest: [],
      change: { keys: -1, memoryBytes: -gone.memoryBytes! },
    });
    const types = now.byType.map(({ type, keys, change }) => [type, keys, change!.keys]).sort();
    expect(types).toEqual([
      ['hash', 1, 1],
      ['set', 0, -1],
      ['string', 12, 7],
    ]);
    const { items } = await listAnalyses(test.ctx, { limit: 1 });
    expect(items).toMatchObject([{ id, keys: 13, complete: true, resumable: false }]);
    expect(await problemOf(getAnalysis(test.ctx, { id, since: randomUUID() }))).toMatchObject({
      status: 404,
    });
  });

  it.skipIf(IS_REDIS_6)('is read with commands where scripts are refused, and says so', async () => {
    await authors(0, 30);
    const report = await run({ connection: await without('-@scripting') });
    const truth = await run();
    expect(report).toMatchObject({ complete: true, keys: 30, memoryBytes: truth.memoryBytes });
    expect(report.families[0]!.size).toEqual(truth.families[0]!.size);
    expect(report.walk!.byScript).toBe(false);
    expect(report.walk!.reason).toMatch(/^its user may not use EVAL/);
    // Nothing is missing.
    expect(report.reason).toBeNull();
  });

  it('has no memory where MEMORY USAGE is refused', async () => {
    await authors(0, 3);
    const report = await run({ connection: await without('-memory') });
    expect(report).toMatchObject({
      keys: 3,
      memoryBytes: null,
      size: null,
      families: [{ memoryBytes: null }],
    });
    expect(report.reason).toContain('MEMORY USAGE');
  });

  it('has no count of keys without a TTL where PTTL is refused', async () => {
    await authors(0, 3);
    const report = await run({ connection: await without('-pttl') });
    expect(report).toMatchObject({ keys: 3, withoutTtl: null, families: [{ withoutTtl: null }], ttl: [] });
    for (const one of report.biggest) expect(one).not.toHaveProperty('ttlSeconds');
    expect(report.reason).toContain('The TTL of 3 keys could not be read.');
  });
});

describe('an analysis that stops half-way', () => {
  it('leaves a partial report, goes on from there, and ends with exact counts', async () => {
    await authors(0, 400);
    const partial = await run({ cancelled: true });
    expect(partial).toMatchObject({ complete: false, resumable: true, reason: 'Cancelled half-way.' });
    expect(partial.keys).toBeGreaterThan(0);
    expect(partial.keys).toBeLessThan(400);
    expect(partial.share).toBeGreaterThan(0);
    expect(partial.share).toBeLessThan(1);
    const whole = await run({ resume: partial.id });
    expect(whole).toMatchObject({ complete: true, share: 1, keys: 400, reason: null, resumable: false });
    expect(whole.walk!.keys).toBe(400 - partial.keys);
    const { memoryBytes, families, expiries } = await run();
    expect(whole.memoryBytes).toBe(memoryBytes);
    expect(familyIn(whole, 'discours.author-id')).toMatchObject({ size: families[0]!.size });
    expect(expiries.reduce((sum, { keys }) => sum + keys, 0)).toBe(400);
    expect((await getAnalysis(test.ctx, { id: partial.id })).resumable).toBe(false);
  });

  it('begins again on another process of the server, and says so', { tags: ['long'] }, async () => {
    await authors(0, 400);
    const partial = await run({ cancelled: true });
    await test.restart();
    const whole = await run({ resume: partial.id });
    expect(whole).toMatchObject({ complete: true, keys: 400, walk: { keys: 400 } });
    expect(whole.reason).toContain('restarted, so it began again');
  });

  it('begins again when the server restarts meanwhile', { tags: ['long'] }, async () => {
    await authors(0, 2000);
    const { restarts } = restartDuring(test, 2);
    const whole = await run();
    expect(restarts()).toBe(1);
    expect(whole).toMatchObject({ complete: true, keys: 2000 });
    expect(whole.reason).toContain('restarted, so it began again');
  });

  it('reports what a process had counted that died', async () => {
    await authors(0, 400);
    const { id, keys } = await run({ cancelled: true });
    await test.storeRedis.del(`keyward:analyses:main`, `keyward:analysis:main:${id}`);
    const died = { jobId: id, auditId: 'a', connection: 'main', done: 0, startedAt: 1 };
    await analysisJob.interrupted!(store(), { ...died, payload: { exact: false, resume: null } });
    const report = await getAnalysis(test.ctx, { id });
    expect(report).toMatchObject({ keys, complete: false, resumable: true });
    expect(report.reason).toContain('process ended');
  });

  it('keeps the whole report of a process that died just after it', async () => {
    await authors(0, 400);
    const { id } = await run({ cancelled: true });
    const state = `keyward:analysis-state:main:${id}`;
    const checkpoint = await test.storeRedis.getBuffer(state);
    expect(checkpoint).not.toBeNull();
    const whole = { ...(await getAnalysis(test.ctx, { id })), complete: true, resumable: false };
    await writeReport(store(), 'main', whole);
    const died = { jobId: id, auditId: 'a', connection: 'main', done: 0, startedAt: 1 };
    await analysisJob.interrupted!(store(), { ...died, payload: { exact: false, resume: null } });
    expect(await getAnalysis(test.ctx, { id })).toEqual(whole);
    expect(await test.storeRedis.exists(state)).toBe(0);
  });
});

const call = (raw: object, role: 'admin' | 'product' | 'support' | 'viewer') => ({
  actor: testActor(role),
  requestId: 'r',
  connection: test.handle,
  raw,
});

describe('the operations', () => {
  it('start one analysis at a time, and refuse roles that may not', async () => {
    const { jobId, auditId } = await runCommand(startAnalysis, call({ exact: true }, 'product'));
    const record = (await readRecord(store(), jobId))!;
    expect(await readPayload(store(), record, analysisJob)).toEqual({
      ok: true,
      payload: { exact: true, resume: null },
    });
    expect(await findEntry(store(), auditId)).toMatchObject({
      action: 'analysis.start',
      target: 'all keys, every element',
      outcome: 'pending',
    });
    const start = (raw: object, role: 'product' | 'support' | 'viewer') =>
      problemOf(runCommand(startAnalysis, call(raw, role)));
    expect(await start({}, 'product')).toMatchObject({ status: 409, extensions: { jobId } });
    expect(await start({ resume: randomUUID() }, 'product')).toMatchObject({ status: 404 });
    for (const role of ['support', 'viewer'] as const)
      expect(await start({}, role)).toMatchObject({ status: 403 });
  });

  it('export rows that no spreadsheet runs, and the report as it is', async () => {
    await test.redis.set('=cmd|x:1', 'x');
    const report = await run();
    const text = async (format: 'csv' | 'json') => textOf(exportReport(report, format));
    const lines = (await text('csv')).split('\r\n');
    const columns = lines[0]!.split(',');
    const biggest = lines.find((line) => line.startsWith('"biggest of type"'))!.split(',');
    expect(biggest[columns.indexOf('name')]).toMatch(/^"'=/);
    expect(biggest[columns.indexOf('memoryBytes')]).toBe(`${report.biggest[0]!.memoryBytes}`);
    expect(JSON.parse(await text('json'))).toEqual(report);
  });

  it('export what the figures are worth, and every distribution', async () => {
    await authors(0, 9);
    await test.redis.sadd('follows_4', '1', '2', '3');
    const report = await run({ connection: await without('-memory') });
    const text = await textOf(exportReport(report, 'csv'));
    const [head, ...lines] = text.trimEnd().split('\r\n');
    const columns = head!.split(',');
    const rows = lines.map((line) => {
      // A comma inside quotes separates nothing.
      const cells = line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
      return Object.fromEntries(columns.map((column, i) => [column, cells[i]!.replace(/^"(.*)"$/, '$1')]));
    });
    const rowsOf = (section: string) => rows.filter((row) => row.section === section);
    const about = Object.fromEntries(rowsOf('report').map(({ name, value }) => [name, value]));
    expect(about).toMatchObject({
      status: 'complete',
      share: '1',
      memory: 'estimated by the server',
      keysRead: '10',
      reason: report.reason,
      serverMs: `${report.walk!.serverMs}`,
      readBy: IS_REDIS_6 ? 'commands' : 'script',
    });
    const sumOf = (section: string, family: string) =>
      rowsOf(section).reduce((sum, row) => sum + (row.family === family ? Number(row.keys) : 0), 0);
    for (const [family, keys] of [
      ['', 10],
      ['discours.author-id', 9],
    ] as const) {
      expect(sumOf('histogram of ttl', family)).toBe(9);
      expect(sumOf('histogram of idle', family)).toBe(keys);
      expect(sumOf('histogram of bytes', family)).toBe(9);
      expect(sumOf('histogram of elements', family)).toBe(keys - 9);
    }
    expect(sumOf('encoding of family', 'discours.author-id')).toBe(9);
    expect(sumOf('type of family', 'minidouyin.follows')).toBe(1);
    expect(rowsOf('family').find(({ family }) => family === 'minidouyin.follows')).toMatchObject({
      elementsMax: '3',
      bytesMax: '',
      memoryBytes: '',
    });
  });

  it('run by schedule with the first walk after its time, once', async () => {
    const now = Date.parse('2026-01-07T02:00:00Z');
    expect(timesOf({ every: 'hourly', at: '03:20' }, now)).toEqual({
      last: now - 40 * MINUTE,
      next: now + 20 * MINUTE,
    });
    expect(timesOf({ every: 'daily', at: '03:00' }, now)).toEqual({
      last: now - 23 * HOUR,
      next: now + HOUR,
    });
    // A Wednesday.
    expect(timesOf({ every: 'weekly', at: '02:00' }, now)).toEqual({
      last: now - 2 * DAY,
      next: now + 5 * DAY,
    });
    await runCommand(setSchedule, call({ every: 'daily', at: '03:00' }, 'product'));
    expect(
      await problemOf(runCommand(setSchedule, call({ every: 'off', at: '03:00' }, 'viewer'))),
    ).toMatchObject({
      status: 403,
    });
    const shown = await getSchedule(test.ctx);
    const due = Date.parse(shown.nextAt!);
    let clock = due - 1;
    const part = scheduledAnalysis(store(), test.handle, () => clock);
    expect(await part.isDue()).toBe(false);
    clock = due + 5;
    const other = scheduledAnalysis(store(), test.handle, () => clock);
    const countOne = async (each: typeof part) =>
      each.begin().add({
        keys: [Buffer.from('author:id:1')],
        types: ['string'],
        ttls: [-1],
        memory: [64],
        lengths: [1],
        encodings: ['raw'],
        idle: [0],
        at: clock,
        refused: null,
        found: [
          {
            family: catalogOf(test.handle).mustGet('discours.author-id'),
            malformedOf: null,
            type: null,
            isSettled: true,
          },
        ],
      });
    for (const each of [part, other]) {
      expect(await each.isDue()).toBe(true);
      await countOne(each);
    }
    const cost = { startedAt: new Date(due).toISOString(), finishedAt: new Date(clock).toISOString() };
    const walk = { ...cost, parts: ['analysis' as const], keys: 1, vanished: 0, calls: 1, serverMs: 1 };
    // Walks of two processes may include it.
    const done = (each: typeof part) => each.done({ ...walk, byScript: true, reason: null });
    // What could not be stored is counted by the next walk.
    await test.storeRedis.set('keyward:analyses:main', 'no hash');
    await expect(done(part)).rejects.toThrow('WRONGTYPE');
    await test.storeRedis.del('keyward:analyses:main');
    expect(await part.isDue()).toBe(true);
    await countOne(part);
    for (const each of [part, other]) await done(each);
    const { items } = await listAnalyses(test.ctx, { limit: 50 });
    expect(items).toMatchObject([{ scheduled: true, complete: true, keys: 1, families: 1 }]);
    expect(await part.isDue()).toBe(false);
  });
});
