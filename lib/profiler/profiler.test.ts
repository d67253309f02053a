import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateUser } from '@/lib/access/users';
import { findEntry } from '@/lib/audit/reads';
import { isWindowOpen, monitorUse, withMonitorForProfile, withMonitorLease } from '@/lib/calls/monitor-lease';
import { runCommand } from '@/lib/command/run';
import { takeWindow } from '@/lib/hit-rates/take';
import { cancelJob } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { listJobs } from '@/lib/jobs/reads';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { jobContracts } from '@/lib/jobs/schema';
import { type ConnectionHandle, closeConnections, openConnection } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { exactly } from '@/scripts/testing/round-trip';
import { textOf } from '@/scripts/testing/text-of';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { startProfile } from './commands';
import { estimateProfile } from './estimate';
import { exportProfile } from './export';
import { profileJobWith } from './job';
import { profile, profilerContracts } from './schema';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  // A busy machine must not end them.
  registerJob(profileJobWith({ measure: async () => exactly(0.1) }));
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  users = await userOfEachRole();
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  await closeQueue();
  closeConnections();
});
afterAll(() => test.close());

type Role = keyof UserOfEachRole;

const start = (raw: object, role: Role = 'product', connection: ConnectionHandle = test.handle) =>
  runCommand(startProfile, {
    actor: users[role],
    requestId: 'r',
    connection,
    raw: { consent: true, ...raw },
  });

const record = async (jobId: string) => (await readRecord(store(), jobId))!;
const ended = async (jobId: string, state = 'done') => {
  await expect.poll(async () => (await record(jobId)).state, { timeout: 20_000 }).toBe(state);
  return record(jobId);
};
const monitors = async (): Promise<number> =>
  String(await test.redis.call('CLIENT', 'LIST'))
    .split('\n')
    .filter((line) => / flags=[A-Za-z]*O/.test(line)).length;

/** A profile that listens, and the application's calls meanwhile. */
const profiled = async (raw: object, work: () => Promise<unknown>) => {
  runner = startRunner(store());
  const answer = await start(raw);
  await expect.poll(monitors, { timeout: 10_000 }).toBe(1);
  await work();
  const job = await ended(answer.jobId);
  return { ...answer, job, result: profile.parse(job.result) };
};

describe('profiler.start', () => {
  it('profiles as a job that ends by itself, and is audited without its rows', { tags: 'long' }, async () => {
    const work = async () => {
      for (let i = 0; i < 50; i++) await test.redis.set(`session:${i}:${JWT}`, 'hunter2');
    };
    const filter = { command: 'SET', key: 'session' };
    const { jobId, auditId, job, result } = await profiled({ seconds: 1, filter, maxShare: 0.015 }, work);
    expect(job).toMatchObject({ done: 1, total: 1, target: 'profile of 1 s' });
    expect(result).toMatchObject({ calls: 50, askedSeconds: 1, filter, ended: { why: 'complete' } });
    expect(result.cost.statedShare).toBe(0.015);
    expect(await monitors()).toBe(0);
    expect(await isWindowOpen(store(), test.handle)).toBe(false);
    const entry = await findEntry(store(), auditId);
    expect(entry).toMatchObject({
      action: 'profiler.start',
      outcome: 'succeeded',
      target: 'profile of 1 s',
      after: { seconds: 1, filter, consent: true, ended: 'complete', calls: 50 },
    });
    expect(JSON.stringify([entry, job.result])).not.toMatch(/hunter2|eyJhbGci/);
    const file = async (format: 'csv' | 'json') => {
      const { body } = await exportProfile(test.as({}), { jobId, format });
      return textOf(body);
    };
    expect(JSON.parse(await file('json'))).toEqual(result);
    const { items } = await listJobs(test.as({}), jobContracts.list.input.parse({}));
    expect(items.map((one) => one.result)).toEqual([{ summary: result.summary }]);
    expect(await file('csv')).toContain('"command","SET"');
    expect(await file('csv')).not.toMatch(/hunter2|eyJhbGci/);
  });

  it.each([
    { consent: false },
    { consent: undefined },
    { seconds: 61 },
    { seconds: 0 },
    { filter: { x: 1 } },
  ])('refuses %j', async (raw) => {
    expect((await problemOf(start({ seconds: 1, ...raw }))).status).toBe(400);
  });

  it('refuses an unknown family', async () => {
    expect((await problemOf(start({ seconds: 1, filter: { family: 'no.such' } }))).status).toBe(400);
  });

  it.each(['support', 'viewer'] as const)('refuses %s', async (role) => {
    expect((await problemOf(start({ seconds: 1 }, role))).status).toBe(403);
  });

  it('asks for a typed confirmation in production, and works on a read-only connection', async () => {
    const { config } = test.handle;
    const production = { ...test.handle, config: { ...config, environment: 'production', readOnly: true } };
    const connection = production as ConnectionHandle;
    expect((await problemOf(start({ seconds: 1 }, 'admin', connection))).code).toBe('confirmation_required');
    expect(await start({ seconds: 1, confirm: config.id }, 'admin', connection)).toHaveProperty('jobId');
  });

  it('refuses a second one, also of another connection to the server', { tags: ['long'] }, async () => {
    runner = startRunner(store());
    const { jobId } = await start({ seconds: 30 });
    expect((await problemOf(start({ seconds: 5 }))).status).toBe(409);
    await expect.poll(monitors).toBe(1);
    const other = { ...test.handle, config: { ...test.handle.config, id: 'other' } } as ConnectionHandle;
    expect((await problemOf(start({ seconds: 5 }, 'admin', other))).message).toContain('under way already');
    const { running } = await estimateProfile(test.as({}), { seconds: 5 });
    expect(running).toBe(true);
    await runCommand(cancelJob, { actor: users.product, requestId: 'r', connection: null, raw: { jobId } });
    const { result } = await ended(jobId, 'cancelled');
    expect(profile.parse(result).ended.why).toBe('stopped');
    expect(await monitors()).toBe(0);
  });

  it('waits for a window of hit rates, and keeps windows from opening beside it', {
    tags: 'long',
  }, async () => {
    runner = startRunner(store());
    let jobId = '';
    await withMonitorLease(store(), test.handle, 1000, async () => {
      ({ jobId } = await start({ seconds: 30 }));
      await expect.poll(async () => (await record(jobId)).state).toBe('running');
      expect(await monitors()).toBe(0);
    });
    await expect.poll(monitors, { timeout: 5000 }).toBe(1);
    expect((await withMonitorLease(store(), test.handle, 1000, async () => 1)).ok).toBe(false);
    await runCommand(cancelJob, { actor: users.product, requestId: 'r', connection: null, raw: { jobId } });
    await ended(jobId, 'cancelled');
  });

  it('holds MONITOR by a short lease, which is no window', async () => {
    await withMonitorForProfile(store(), test.handle, async () => {
      expect([await isWindowOpen(store(), test.handle), await monitorUse(store(), test.handle)]).toEqual([
        false,
        'profile',
      ]);
      const [lease] = await test.storeRedis.keys('*window-*');
      expect(await test.storeRedis.pttl(lease!)).toBeLessThan(10_000);
      const taker = { handle: test.handle, store: store(), catalog: test.ctx.catalog, consent: null };
      expect((await problemOf(takeWindow(taker, { ms: 100 }))).message).toContain('A profile of this server');
    });
    expect(await monitorUse(store(), test.handle)).toBeNull();
  });

  it('stops when its user loses the permission, and does not begin without it', {
    tags: ['long'],
  }, async () => {
    runner = startRunner(store(), { authoriseMs: 50 });
    const { jobId } = await start({ seconds: 30 });
    await expect.poll(monitors).toBe(1);
    await updateUser(store(), users.product.id, { role: 'viewer' });
    expect((await ended(jobId, 'failed')).error).toContain('no longer has the permission');
    expect(await monitors()).toBe(0);
    await runner.close();
    runner = null;
    await updateUser(store(), users.product.id, { role: 'product' });
    const { jobId: second } = await start({ seconds: 30 });
    await updateUser(store(), users.product.id, { role: 'viewer' });
    runner = startRunner(store());
    expect((await ended(second, 'failed')).error).toContain('not started');
  });

  it('closes its connection when the process stops', { tags: ['long'] }, async () => {
    runner = startRunner(store());
    const { jobId } = await start({ seconds: 60 });
    await expect.poll(monitors).toBe(1);
    await runner.close();
    runner = null;
    expect(await monitors()).toBe(0);
    expect((await record(jobId)).state).toBe('interrupted');
  });
});

describe('without MONITOR', () => {
  const url = () => test.handle.config.url!.replace('//', '//restricted:secret@');

  it('says that it is not permitted, and starts nothing', async () => {
    await test.redis.call('ACL', 'SETUSER', 'restricted', 'on', '>secret', '+@all', '-monitor', '~*', '&*');
    const handle = openConnection({ ...test.handle.config, id: 'restricted', url: url() });
    try {
      const { monitor } = await estimateProfile({ ...test.as({}), connection: handle }, { seconds: 5 });
      expect(monitor).toMatchObject({ allowed: false, why: expect.stringContaining('may not use MONITOR') });
      await test.redis.call('ACL', 'LOG', 'RESET');
      // Pages ask again and again.
      await estimateProfile({ ...test.as({}), connection: handle }, { seconds: 5 });
      expect(await test.redis.call('ACL', 'LOG')).toEqual([]);
      const refused = await problemOf(start({ seconds: 1 }, 'admin', handle));
      expect([refused.code, refused.message]).toEqual(['not_permitted', expect.stringContaining('MONITOR')]);
    } finally {
      handle.topology.close();
      forget('command-tables');
    }
  });

  it.each([{ command: 'GET' }, { key: 'session' }, { family: 'unclassified' }])(
    'takes the filter %j without COMMAND: the shipped table has the commands',
    async (filter) => {
      await test.redis.call('ACL', 'SETUSER', 'restricted', 'on', '>secret', '+@all', '-command', '~*', '&*');
      const handle = openConnection({ ...test.handle.config, id: 'restricted', url: url() });
      try {
        expect(await start({ seconds: 1, filter }, 'admin', handle)).toHaveProperty('jobId');
      } finally {
        handle.topology.close();
      }
    },
  );
});

it('profiler.estimate says the limits and what it will cost', async () => {
  const input = profilerContracts.estimate.input.parse({});
  const estimate = profilerContracts.estimate.result.parse(await estimateProfile(test.as({}), input));
  expect(estimate).toMatchObject({
    seconds: 10,
    statedShare: 0.02,
    expectedCoverage: 1,
    maxSeconds: 60,
    maxShare: 0.05,
    maxAddedLatencyMs: 1,
    monitor: { allowed: true, why: null },
    running: false,
  });
  expect(estimate.commandsPerSecond).toBeGreaterThanOrEqual(0);
});

it('profiler.export finds only profiles of its connection', async () => {
  const jobId = '11111111-2222-4333-8444-555555555555';
  expect((await problemOf(exportProfile(test.as({}), { jobId, format: 'csv' }))).status).toBe(404);
});
