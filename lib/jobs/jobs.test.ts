import { randomUUID } from 'node:crypto';
import { Job, Worker } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { createUser, updateUser } from '@/lib/access/users';
import { appendIntent } from '@/lib/audit/log';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { verifyChain } from '@/lib/audit/verify';
import type { AuditJson, Outcome } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { seal } from '@/lib/keyring';
import { catalogFor } from '@/lib/keyspace/apps-of';
import type { Permission } from '@/lib/permissions';
import { closeConnections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { freePort } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { cancelJob, setJobPace } from './commands';
import { type JobContext, type JobDefinition, registerJob } from './define';
import { enqueue } from './enqueue';
import { finishJob } from './finish';
import { pauseJobs } from './pause';
import { closeQueue, QUEUE_PREFIX, releaseQueues, removeEntry } from './queue';
import { getJob, listJobs, streamJob } from './reads';
import { reconcileJobs } from './reconcile';
import { jobKeys, openJobs, readRecord } from './record';
import { type Runner, runJob, startRunner } from './runner';
import { jobContracts } from './schema';
import { claim, createRecord } from './transitions';

let test: TestContext;
let runner: Runner | null = null;
let users: UserOfEachRole;
const SECRET = 'session:5:eyJhbGciOi.s3cret.token';

beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'product' });
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

/** A promise to be settled from outside. */
const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

type Work = (ctx: JobContext, data: AuditJson) => Promise<Outcome<Record<string, unknown>>>;

const define = (run: Work, change: Partial<JobDefinition> = {}): JobDefinition => {
  const definition: JobDefinition = {
    action: 'test.work',
    permission: 'caches:invalidate',
    payload: z.json(),
    run,
    ...change,
  };
  registerJob(definition);
  return definition;
};

const context = (role: 'admin' | 'support' | 'product' | 'viewer' = 'product') =>
  test.as({ actor: users[role], auditId: newId() });

const start = async (
  definition: JobDefinition,
  data: AuditJson = { a: 1 },
  ctx = context(),
): Promise<string> => {
  const { actor, auditId: id } = ctx;
  const intent = { id, actor, action: definition.action, connection: 'main', target: 'some work' };
  await appendIntent(store(), { ...intent, reason: null, input: null, requestId: 'r' });
  return enqueue(ctx, definition, { data, target: 'some work', total: 10 });
};

const record = async (jobId: string) => (await readRecord(store(), jobId))!;
const state = async (jobId: string) => (await record(jobId)).state;
const ended = (jobId: string, wanted: string) =>
  expect.poll(() => state(jobId), { timeout: 8000 }).toBe(wanted);
const audited = async (jobId: string) => findEntry(store(), (await record(jobId)).auditId);
const cancel = (jobId: string, role: 'admin' | 'viewer' | 'support' = 'admin') =>
  runCommand(cancelJob, { actor: testActor(role), requestId: 'r', connection: null, raw: { jobId } });

const setPace = (jobId: string, pace: string, role: 'admin' | 'viewer' = 'admin') => {
  const raw = { jobId, pace, reason: 'it is night' };
  return runCommand(setJobPace, { actor: testActor(role), requestId: 'r', connection: null, raw });
};

describe('a process that ends', () => {
  it('lets its jobs complete within their time, and takes no further one', async () => {
    const { open, opened } = gate();
    const definition = define(async () => {
      await opened;
      return { result: { n: 1 } };
    });
    const first = await start(definition);
    runner = startRunner(store());
    await ended(first, 'running');
    const closing = runner.close(5000);
    const second = await start(definition, { a: 2 });
    open();
    await closing;
    expect(await state(first)).toBe('done');
    expect(await state(second)).toBe('queued');
  });

  it('interrupts them after that', async () => {
    const definition = define(async (ctx) => {
      await new Promise((stopped) => ctx.signal.addEventListener('abort', stopped, { once: true }));
      return { result: {} };
    });
    const jobId = await start(definition);
    runner = startRunner(store());
    await ended(jobId, 'running');
    await runner.close(300);
    expect(await state(jobId)).toBe('interrupted');
  });
});

describe('jobs that are paused', () => {
  it('do not begin in any process, while those that run complete; they begin when they are released', async () => {
    const { open, opened } = gate();
    const definition = define(async () => {
      await opened;
      return { result: {} };
    });
    const running = await start(definition);
    runner = startRunner(store());
    await ended(running, 'running');
    const pausing = pauseJobs(store());
    await expect
      .poll(async () => (await test.storeRedis.hget(`${QUEUE_PREFIX}:jobs:meta`, 'paused')) ?? null)
      .toBe('1');
    const waiting = await start(definition, { a: 2 });
    open();
    const resume = await pausing;
    expect([await state(running), await state(waiting)]).toEqual(['done', 'queued']);
    await resume();
    await ended(waiting, 'done');
  });

  it('are waited for no longer than asked, and begin after a process that paused them died', {
    tags: ['long'],
  }, async () => {
    const { open, opened } = gate();
    const definition = define(async () => {
      await opened;
      return { result: {} };
    });
    const running = await start(definition);
    runner = startRunner(store());
    await ended(running, 'running');
    await pauseJobs(store(), 300);
    expect(await state(running)).toBe('running');
    const waiting = await start(definition, { a: 2 });
    open();
    await releaseQueues(store());
    await ended(waiting, 'done');
  });
});

describe('the pace of a job', () => {
  it('is set while it runs, by whoever may start it, and recorded', async () => {
    const faster: boolean[] = [];
    const work: Work = async (ctx) => {
      for (const wanted of [false, true, false]) {
        await expect.poll(() => ctx.isFaster()).toBe(wanted);
        faster.push(wanted);
      }
      return { result: {} };
    };
    const definition = define(work, { isPaced: true });
    const jobId = await start(definition);
    runner = startRunner(store());
    await expect.poll(() => faster).toEqual([false]);
    expect((await problemOf(setPace(jobId, 'faster', 'viewer'))).code).toBe('not_found');
    expect(await setPace(jobId, 'faster')).toMatchObject({ jobId, state: 'running', pace: 'faster' });
    expect(await getJob(context(), { jobId })).toMatchObject({ pace: 'faster', isPaced: true });
    await expect.poll(() => faster).toEqual([false, true]);
    const { auditId } = await setPace(jobId, 'default');
    expect(await findEntry(store(), auditId)).toMatchObject({
      action: 'jobs.setPace',
      outcome: 'succeeded',
      reason: 'it is night',
      before: { pace: 'faster' },
      after: { pace: 'default' },
    });
    await ended(jobId, 'done');
    expect(await problemOf(setPace(jobId, 'faster'))).toMatchObject({ code: 'conflict' });
  });

  it('is refused where a job has none', async () => {
    const jobId = await start(define(async () => ({ result: {} })));
    expect(await problemOf(setPace(jobId, 'faster'))).toMatchObject({ code: 'conflict' });
  });
});

describe('a job', () => {
  it('runs with its input, shows its progress, and ends with its result and its audit entry', async () => {
    const first = gate();
    const seen: AuditJson[] = [];
    const definition = define(async (ctx, data) => {
      seen.push(data, ctx.actor.name, ctx.reason);
      await ctx.progress(4, 10, 2);
      await first.opened;
      await ctx.progress(10, 10, 0);
      return { result: { changed: 10 } };
    });
    const jobId = await start(definition, { keyIds: ['x'] });
    expect(await state(jobId)).toBe('queued');
    expect((await audited(jobId))?.outcome).toBe('pending');
    runner = startRunner(store());
    await ended(jobId, 'running');
    await expect.poll(async () => (await record(jobId)).done).toBe(4);
    expect(await getJob(context(), { jobId })).toMatchObject({
      progress: 0.4,
      done: 4,
      total: 10,
      pending: 2,
      actor: 'product@example.org',
      finishedAt: null,
      mayCancel: true,
    });
    first.open();
    await ended(jobId, 'done');
    expect(seen).toEqual([{ keyIds: ['x'] }, 'Test product', null]);
    const job = jobContracts.get.result.parse(await getJob(context(), { jobId }));
    expect(job).toMatchObject({
      progress: 1,
      done: 10,
      result: { changed: 10 },
      error: null,
      mayCancel: false,
    });
    await expect.poll(() => audited(jobId)).toMatchObject({ outcome: 'succeeded', after: { changed: 10 } });
    expect(await openJobs(store())).toEqual([]);
    expect((await verifyChain(store())).ok).toBe(true);
  });

  it('that throws has failed, and its error reveals nothing internal', async () => {
    runner = startRunner(store());
    const known = await start(
      define(() => Promise.reject(new Problem('conflict', 'It is in the way.'))),
      1,
    );
    await ended(known, 'failed');
    expect(await record(known)).toMatchObject({ error: 'It is in the way.' });
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const breaking = define(() => Promise.reject(new Error(SECRET)));
    const unknown = await start(breaking, 2);
    await ended(unknown, 'failed');
    expect(logged).toHaveBeenCalledOnce();
    expect(String(logged.mock.calls[0])).not.toContain(SECRET);
    logged.mockRestore();
    expect((await record(unknown)).error).toMatch(/internal error/);
    await expect.poll(async () => (await audited(unknown))?.outcome).toBe('failed');
    expect(JSON.stringify((await listEntries(store())).items)).not.toContain(SECRET);
  });

  it('fails while Redis is unreachable, and is not retried', async () => {
    runner = startRunner(store());
    let tries = 0;
    const definition = define(async () => {
      tries += 1;
      throw new Problem('unreachable', 'gone');
    });
    const jobId = await start(definition);
    await ended(jobId, 'failed');
    expect([tries, (await record(jobId)).error]).toEqual([1, 'gone']);
  });

  it('changes nothing when its connection became read-only or was removed', async () => {
    runner = startRunner(store());
    const definition = define(() => expect.fail('ran'));
    const auditId = newId();
    const jobId = newId();
    const job = { jobId, auditId, action: definition.action, connection: 'gone', target: 't', reason: null };
    await appendIntent(store(), { id: auditId, actor: testActor(), ...job, input: null, requestId: null });
    const more = { actor: users.admin, requestId: 'r', work: 'w', total: null, createdAt: Date.now() };
    await createRecord(store(), { ...job, ...more }, null);
    await runJob(store(), jobId, new AbortController().signal);
    expect(await record(jobId)).toMatchObject({ state: 'failed', error: expect.stringContaining('"gone"') });
  });

  it('changes nothing when its server became a replica', async () => {
    const jobId = await start(define(() => expect.fail('ran')));
    await test.redis.call('REPLICAOF', '127.0.0.1', await freePort());
    try {
      await runJob(store(), jobId, new AbortController().signal);
    } finally {
      await test.redis.call('REPLICAOF', 'NO', 'ONE');
    }
    expect(await record(jobId)).toMatchObject({ state: 'failed', error: expect.stringContaining('replica') });
  });

  it('does not start with an input that cannot be opened', async () => {
    const definition = define(() => expect.fail('ran'));
    const jobId = await start(definition);
    await test.storeRedis.hset(jobKeys.job(jobId), 'data', 'forged');
    await runJob(store(), jobId, new AbortController().signal);
    expect(await record(jobId)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('cannot be read'),
    });
  });

  it('does not start with its data moved to another user, connection or set of permissions', async () => {
    const definition = define(() => expect.fail('ran'));
    registerJob({ ...definition, action: 'test.more' });
    const forged = [
      { actor: JSON.stringify(users.admin) },
      { connection: 'another' },
      { needs: '["caches:invalidate"]' },
      { action: 'test.more' },
    ];
    for (const [i, fields] of forged.entries()) {
      const jobId = await start(definition, i);
      await test.storeRedis.hset(jobKeys.job(jobId), fields);
      await runJob(store(), jobId, new AbortController().signal);
      expect(await record(jobId)).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('cannot be read'),
      });
    }
  });

  it('fails with the reason and without a value when another version wrote its payload', async () => {
    const payload = z.strictObject({ family: z.string(), narrowed: z.strictObject({ by: z.string() }) });
    const before = define(() => expect.fail('ran'));
    const jobId = await start(before, { family: SECRET, narrowed: { by: 1, and: SECRET } });
    registerJob({ ...before, payload });
    await runJob(store(), jobId, new AbortController().signal);
    const error =
      "The job's input cannot be read: another version of the console wrote it (narrowed.by, narrowed).";
    expect(await record(jobId)).toMatchObject({ state: 'failed', error });
    expect(await audited(jobId)).toMatchObject({ outcome: 'failed', detail: error });
    expect(await openJobs(store())).toEqual([]);
  });

  it('is interrupted when its process stops, with its progress', async () => {
    runner = startRunner(store());
    let done = 0;
    const definition = define(async (ctx) => {
      while (!ctx.signal.aborted) {
        await ctx.progress(done, 1000, 1);
        done += 1;
      }
      await ctx.progress(done, 1000, 0);
      return { result: { changed: done } };
    });
    const jobId = await start(definition);
    await expect.poll(async () => (await record(jobId)).done).toBeGreaterThan(3);
    await runner.close();
    expect(await record(jobId)).toMatchObject({
      state: 'interrupted',
      done,
      pending: 0,
      result: { changed: done },
    });
    expect(await audited(jobId)).toMatchObject({ outcome: 'failed' });
  });

  it('writes its ending when the store is reachable again', async () => {
    const first = gate();
    runner = startRunner(store());
    const definition = define(async () => {
      await first.opened;
      return { result: { changed: 1 } };
    });
    const jobId = await start(definition);
    await ended(jobId, 'running');
    await test.storeRedis.config('SET', 'maxmemory', '1');
    first.open();
    await expect.poll(() => state(jobId).catch(() => 'unknown')).toBe('running');
    await test.storeRedis.config('SET', 'maxmemory', '0');
    await ended(jobId, 'done');
    await expect.poll(async () => (await audited(jobId))?.outcome).toBe('succeeded');
  });
});

describe('a job whose user lost the permission', () => {
  const disable = (role: 'product' | 'support') => updateUser(store(), users[role].id, { disabled: true });
  const NOT_STARTED = 'not started: the user or API token that started it no longer has the permission';

  it.each([
    ['is disabled', { disabled: true }],
    ['has another role', { role: 'viewer' as const }],
  ])('is not started when the user behind it %s meanwhile', async (_, change) => {
    const jobId = await start(define(() => expect.fail('ran')));
    await updateUser(store(), users.product.id, change);
    await runJob(store(), jobId, new AbortController().signal);
    expect(await record(jobId)).toMatchObject({ state: 'failed', error: NOT_STARTED, startedAt: null });
    expect(await audited(jobId)).toMatchObject({ outcome: 'failed', detail: NOT_STARTED });
    expect(await openJobs(store())).toEqual([]);
  });

  it('is not started after the API token behind it was revoked', async () => {
    const owner = users.product.id;
    const made = { name: 'ci', role: 'product' as const, createdBy: 'a test', owner, expiresAt: null };
    const { apiToken } = await createApiToken(store(), made, Date.now());
    const actor = { kind: 'token', id: apiToken.id, name: 'ci', role: 'product', owner } as const;
    const definition = define(async () => ({ result: {} }));
    const [first, second] = [
      await start(definition, 1, test.as({ actor, auditId: newId() })),
      await start(definition, 2, test.as({ actor, auditId: newId() })),
    ];
    await runJob(store(), first, new AbortController().signal);
    expect(await state(first)).toBe('done');
    await revokeApiToken(store(), apiToken.id);
    await runJob(store(), second, new AbortController().signal);
    expect(await record(second)).toMatchObject({ state: 'failed', error: NOT_STARTED });
  });

  it('needs its own permissions too, and runs with the present role', async () => {
    const seen: unknown[] = [];
    const definition = define(async ({ actor }) => {
      seen.push(actor.role);
      return { result: {} };
    });
    const ask = (data: AuditJson, needs: Permission[]) =>
      enqueue(context('admin'), definition, { data, target: 't', needs });
    const [plain, sensitive] = [await ask(1, []), await ask(2, ['caches:invalidate-sensitive'])];
    expect((await record(sensitive)).needs).toEqual(['caches:invalidate-sensitive']);
    const other = { email: 'other@example.org', name: 'Other', role: 'admin' as const, passwordHash: '-' };
    await createUser(store(), other, { now: Date.now() });
    await updateUser(store(), users.admin.id, { role: 'product' });
    for (const jobId of [plain, sensitive]) await runJob(store(), jobId, new AbortController().signal);
    expect([await state(plain), await state(sensitive), seen]).toEqual(['done', 'failed', ['product']]);
  });

  it('stops at its next chunk, with its progress', async () => {
    runner = startRunner(store(), { authoriseMs: 20 });
    const definition = define(async (ctx) => {
      let done = 0;
      while (!ctx.signal.aborted) {
        await ctx.progress(done, 5000, 1);
        done += 1;
      }
      await ctx.progress(done, 5000, 0);
      return { result: { changed: done } };
    });
    const jobId = await start(definition);
    await expect.poll(async () => (await record(jobId)).done).toBeGreaterThan(5);
    await disable('product');
    await ended(jobId, 'failed');
    const { done, result, error } = await record(jobId);
    expect(error).toBe(
      `stopped: the user or API token that started it no longer has the permission; ${done} of 5000 done`,
    );
    expect(result).toEqual({ changed: done });
    await expect
      .poll(() => audited(jobId))
      .toMatchObject({ outcome: 'failed', detail: error, after: { changed: done } });
  });
});

describe('cancelling', () => {
  it('ends a queued job immediately; it never starts', async () => {
    let ran = false;
    const definition = define(async () => {
      ran = true;
      return { result: {} };
    });
    const jobId = await start(definition);
    expect(await cancel(jobId)).toMatchObject({ jobId, state: 'cancelled' });
    expect(await audited(jobId)).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('admin@example.org'),
    });
    runner = startRunner(store());
    const next = await start(
      define(async () => ({ result: {} })),
      2,
    );
    await ended(next, 'done');
    expect([ran, await state(jobId)]).toEqual([false, 'cancelled']);
    expect(await problemOf(cancel(jobId))).toMatchObject({ status: 409 });
  });

  it('stops a running job at its next chunk; what was done stays in the record', async () => {
    runner = startRunner(store());
    const definition = define(async (ctx) => {
      let done = 0;
      while (!ctx.signal.aborted) {
        await ctx.progress(done, 1000, 1);
        done += 1;
      }
      await ctx.progress(done, 1000, 0);
      return { result: { changed: done } };
    });
    const jobId = await start(definition);
    await expect.poll(async () => (await record(jobId)).done).toBeGreaterThan(5);
    expect(await cancel(jobId)).toMatchObject({ state: 'running' });
    await ended(jobId, 'cancelled');
    const { done, result, error, pending } = await record(jobId);
    expect(result).toEqual({ changed: done });
    expect(pending).toBe(0);
    expect(error).toMatch(/^cancelled: \d+ of 1000 done$/);
    await expect.poll(() => audited(jobId)).toMatchObject({ outcome: 'failed', after: { changed: done } });
  });

  it('and starting at the same moment: one of them wins, and the record says which', {
    tags: ['long'],
  }, async () => {
    for (let i = 0; i < 20; i++) {
      let ran = false;
      const definition = define(async (ctx) => {
        ran = !ctx.signal.aborted;
        await ctx.progress(1, 1, 0);
        return { result: {} };
      });
      const jobId = await start(definition, i);
      await Promise.all([
        runJob(store(), jobId, new AbortController().signal),
        cancel(jobId).catch(() => null),
      ]);
      await ended(jobId, (await record(jobId)).state);
      const { state: final, startedAt, error, finishedAt } = await record(jobId);
      expect(finishedAt).not.toBeNull();
      expect(ran).toBe(startedAt !== null);
      if (error?.includes('before it started')) expect([ran, final]).toEqual([false, 'cancelled']);
    }
  });

  it('needs the permission of the job, and reveals nothing to others', async () => {
    const jobId = await start(define(async () => ({ result: {} })));
    expect(await problemOf(cancel(jobId, 'viewer'))).toMatchObject({ status: 404 });
    expect(await problemOf(cancel(jobId, 'support'))).toMatchObject({ status: 404 });
    expect(await problemOf(cancel(newId()))).toMatchObject({ status: 404 });
    expect(await state(jobId)).toBe('queued');
  });
});

describe('workers', () => {
  /** Work that goes on until its gate opens; which began, in their order. */
  const held = (change: Partial<JobDefinition> = {}) => {
    const { open, opened } = gate();
    const begun: AuditJson[] = [];
    const definition = define(async (_, data) => {
      begun.push(data);
      await opened;
      return { result: {} };
    }, change);
    return { open, begun, definition };
  };

  it('are shared: one user has two at most, and a job of another user starts beside them', async () => {
    const { open, begun, definition } = held();
    const jobs: string[] = [];
    for (const name of ['x1', 'x2', 'x3', 'x4', 'x5']) jobs.push(await start(definition, name));
    runner = startRunner(store());
    await expect.poll(() => begun).toHaveLength(2);
    // A token of one's own is no second person.
    const { id: owner } = users.product;
    const made = { name: 'ci', role: 'product' as const, createdBy: 'a test', owner, expiresAt: null };
    const { id } = (await createApiToken(store(), made, Date.now())).apiToken;
    const actor = { kind: 'token', id, name: 'ci', role: 'product', owner } as const;
    jobs.push(await start(definition, 'x6', test.as({ actor, auditId: newId() })));
    jobs.push(await start(definition, 'y1', context('admin')));
    await expect.poll(() => begun).toHaveLength(3);
    expect(begun[2]).toBe('y1');
    const states = await Promise.all(jobs.slice(0, 6).map(state));
    expect(states.filter((each) => each === 'queued')).toHaveLength(4);
    expect(await reconcileJobs(store())).toBe(0);
    open();
    for (const jobId of jobs) await ended(jobId, 'done');
    expect(begun).toHaveLength(7);
  });

  it('start the next job of a user as soon as another one ends, without waiting for the retry', {
    tags: ['long'],
  }, async () => {
    const delay = Job.prototype.moveToDelayed;
    const restore = vi.spyOn(Job.prototype, 'moveToDelayed').mockImplementation(function (
      this: Job,
      at,
      token,
    ) {
      return delay.call(this, at + 3_600_000, token);
    });
    const { open, begun, definition } = held();
    const jobs: string[] = [];
    for (let i = 0; i < 20; i++) jobs.push(await start(definition, i));
    runner = startRunner(store());
    await expect.poll(() => test.storeRedis.zcard(`${QUEUE_PREFIX}:jobs:delayed`)).toBe(18);
    open();
    for (const jobId of jobs) await ended(jobId, 'done');
    expect(begun).toHaveLength(20);
    expect(restore.mock.calls.length).toBeLessThan(40);
    restore.mockRestore();
  });

  it('of the urgent queue start a revocation while all others are busy', async () => {
    const busy = held();
    runner = startRunner(store());
    const jobs: string[] = [];
    for (const role of ['product', 'admin'] as const)
      for (const name of [1, 2]) jobs.push(await start(busy.definition, `${role} ${name}`, context(role)));
    const urgent = held({ action: 'test.urgent', permission: 'sessions:revoke', urgent: true });
    await expect.poll(() => busy.begun).toHaveLength(4);
    const revocation = await start(urgent.definition, 'now', context('support'));
    await expect.poll(() => urgent.begun).toEqual(['now']);
    expect((await record(revocation)).queue).toBe('urgent');
    expect(await reconcileJobs(store())).toBe(0);
    expect(await state(revocation)).toBe('running');
    urgent.open();
    await ended(revocation, 'done');
    busy.open();
    for (const jobId of jobs) await ended(jobId, 'done');
  });

  it('find jobs that were queued before there were two queues', async () => {
    const { open, begun, definition } = held({ action: 'test.urgent' });
    const jobId = await start(definition, 'old');
    await test.storeRedis.hdel(jobKeys.job(jobId), 'queue', 'needs');
    await test.storeRedis.hset(jobKeys.job(jobId), 'data', seal('job', Buffer.from('"old"'), jobId));
    registerJob({ ...definition, urgent: true });
    await test.storeRedis.hset(jobKeys.job(jobId), 'createdAt', Date.now() - 60_000);
    expect(await reconcileJobs(store())).toBe(0);
    runner = startRunner(store());
    await expect.poll(() => begun).toEqual(['old']);
    expect(await reconcileJobs(store())).toBe(0);
    open();
    await ended(jobId, 'done');
  });

  it('accept at most a hundred unfinished jobs of one user', { tags: 'long' }, async () => {
    const { definition } = held();
    for (let i = 0; i < 100; i++) await start(definition, i);
    expect(await problemOf(start(definition, 'one more'))).toMatchObject({ status: 429 });
    await start(definition, 'one more', context('admin'));
    // What is urgent waits for none of it.
    await start(held({ action: 'test.urgent', urgent: true }).definition, 'now');
  });
});

describe('the same work twice', () => {
  it('is refused while it is queued or running, and accepted after', async () => {
    const definition = define(async () => ({ result: {} }));
    const jobId = await start(definition, { family: 'a' });
    const problem = await problemOf(start(definition, { family: 'a' }));
    expect(problem).toMatchObject({ status: 409, extensions: { jobId } });
    await start(definition, { family: 'b' });
    runner = startRunner(store());
    await ended(jobId, 'done');
    await start(definition, { family: 'a' });
  });

  it('is accepted once when many start it at the same moment', async () => {
    const definition = define(async () => ({ result: {} }));
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, () => start(definition, { family: 'a' })),
    );
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    for (const each of tries)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 409, code: 'conflict' });
    expect(await openJobs(store())).toHaveLength(1);
  });
});

describe('reconciliation', () => {
  /** A job that was begun; no process is at it. */
  const begun = async (progress: { done: number; pending: number }) => {
    const jobId = await start(
      define(async () => ({ result: {} })),
      randomUUID(),
    );
    await claim(store(), jobId, Date.now());
    await test.storeRedis.hset(jobKeys.job(jobId), progress);
    return jobId;
  };
  const lockOf = (jobId: string) => `${QUEUE_PREFIX}:jobs:${jobId}:lock`;

  it('interrupts the job of a dead process, with what was done and what may have been', async () => {
    const jobId = await begun({ done: 300, pending: 100 });
    expect(await reconcileJobs(store())).toBe(1);
    expect(await record(jobId)).toMatchObject({
      state: 'interrupted',
      done: 300,
      pending: 100,
      error: 'interrupted: 300 of 10 done; 100 more may have been done',
    });
    expect(await audited(jobId)).toMatchObject({ outcome: 'failed', after: { done: 300, pending: 100 } });
    expect(await reconcileJobs(store())).toBe(0);
  });

  it('leaves running jobs of this and other processes alone', async () => {
    const others = await begun({ done: 1, pending: 1 });
    const client = store().queue('work');
    const other = new Worker('jobs', null, { connection: client, prefix: QUEUE_PREFIX, autorun: false });
    expect((await other.getNextJob('token'))?.id).toBe(others);
    const first = gate();
    runner = startRunner(store());
    const own = await start(
      define(async () => {
        await first.opened;
        return { result: {} };
      }),
    );
    await ended(own, 'running');
    expect(await reconcileJobs(store())).toBe(0);
    for (const jobId of [others, own]) expect(await state(jobId)).toBe('running');
    first.open();
    await ended(own, 'done');
    await other.close();
    client.disconnect();
  });

  it('stops a process it took for dead from continuing', async () => {
    const first = gate();
    const goOn = gate();
    let reached = 0;
    runner = startRunner(store(), { stalledMs: 50 });
    const definition = define(async (ctx) => {
      await ctx.progress(1, 10, 1);
      first.open();
      await goOn.opened;
      await ctx.progress(2, 10, 1);
      reached = 2;
      return { result: {} };
    });
    const jobId = await start(definition);
    await first.opened;
    await test.storeRedis.del(lockOf(jobId));
    await expect.poll(() => reconcileJobs(store())).toBe(1);
    goOn.open();
    const next = await start(
      define(async () => ({ result: {} })),
      2,
    );
    await ended(next, 'done');
    expect([reached, await record(jobId)]).toEqual([
      0,
      expect.objectContaining({ state: 'interrupted', done: 1 }),
    ]);
    expect((await verifyChain(store())).entries).toBe(4);
  });

  it('ends a queued job that the queue lost, but not a fresh or a waiting one', async () => {
    const definition = define(async () => ({ result: {} }));
    const [lost, waiting] = [await start(definition, 1), await start(definition, 2)];
    expect(await removeEntry(store(), 'jobs', lost)).toBe(true);
    expect(await reconcileJobs(store())).toBe(0);
    for (const jobId of [lost, waiting])
      await test.storeRedis.hset(jobKeys.job(jobId), 'createdAt', Date.now() - 60_000);
    expect(await reconcileJobs(store())).toBe(1);
    expect(await record(lost)).toMatchObject({
      state: 'interrupted',
      error: expect.stringContaining('lost'),
    });
    expect(await audited(lost)).toMatchObject({ outcome: 'failed' });
    expect(await state(waiting)).toBe('queued');
  });

  it('writes the audit outcome when a process died before it could', async () => {
    const jobId = await start(define(async () => ({ result: {} })));
    await test.storeRedis.hset(jobKeys.job(jobId), {
      state: 'done',
      startedAt: 1,
      finishedAt: Date.now() - 60_000,
      result: '{"changed":3}',
    });
    await reconcileJobs(store());
    expect(await audited(jobId)).toMatchObject({ outcome: 'succeeded', after: { changed: 3 } });
    expect(await openJobs(store())).toEqual([]);
  });

  it('drops a job whose record was deleted', async () => {
    await test.storeRedis.sadd(jobKeys.open, newId());
    expect(await reconcileJobs(store())).toBe(0);
    expect(await openJobs(store())).toEqual([]);
  });

  it('and a job that ends at the same moment: one of them wins', async () => {
    const jobId = await begun({ done: 1, pending: 0 });
    const ends = await Promise.all([
      finishJob(store(), jobId, { state: 'done', outcome: { result: {} } }),
      finishJob(store(), jobId, { state: 'interrupted' }),
      finishJob(store(), jobId, { state: 'cancelled' }),
    ]);
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect((await verifyChain(store())).entries).toBe(2);
  });
});

describe('the list', () => {
  it('shows the jobs a user may start, and those they started', async () => {
    const work = define(async () => ({ result: {} }));
    const guarded = define(async () => ({ result: {} }), {
      action: 'test.guarded',
      permission: 'users:manage',
    });
    const mine = await start(work, 1);
    const admins = await start(guarded, 2, context('admin'));
    const viewers = await start(guarded, 3, context('viewer'));
    const list = async (role: 'admin' | 'support' | 'product' | 'viewer') =>
      (await listJobs(context(role), jobContracts.list.input.parse({}))).items.map((job) => [
        job.jobId,
        job.mayCancel,
      ]);
    expect(await list('admin')).toEqual([
      [viewers, true],
      [admins, true],
      [mine, true],
    ]);
    expect(await list('product')).toEqual([[mine, true]]);
    expect(await list('viewer')).toEqual([[viewers, false]]);
    expect(await list('support')).toEqual([]);
    expect((await problemOf(getJob(context('support'), { jobId: mine }))).status).toBe(404);
  });

  it('is filtered and paged without losing any', async () => {
    const work = define(async () => ({ result: {} }));
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await start(work, i));
    await cancel(ids[0]!);
    const input = (change: object) => jobContracts.list.input.parse(change);
    const found = await allPages(async (raw) => {
      const page = await listJobs(context(), input(raw));
      // A job that comes meanwhile moves all others, and is before any page that follows.
      await start(work, randomUUID());
      return page;
    }, 3);
    expect(found.map(({ jobId }) => jobId)).toEqual(ids);
    expect((await listJobs(context(), input({ state: 'cancelled' }))).items).toHaveLength(1);
    expect((await listJobs(context(), input({ connection: 'other' }))).items).toEqual([]);
  });
});

it('streams a job until it is finished, and stops when the client disconnects', {
  tags: ['long'],
}, async () => {
  const first = gate();
  runner = startRunner(store());
  const jobId = await start(
    define(async (ctx) => {
      await ctx.progress(3, 10, 0);
      await first.opened;
      return { result: {} };
    }),
  );
  const events: [string, unknown][] = [];
  const sink = (signal: AbortSignal) => ({
    signal,
    send: (event: string, data: unknown) => void events.push([event, (data as { state: string }).state]),
  });
  const watching = streamJob(context(), { jobId }, sink(new AbortController().signal));
  await expect.poll(() => events).toContainEqual(['progress', 'running']);
  const gone = new AbortController();
  const left = streamJob(context(), { jobId }, sink(gone.signal));
  gone.abort();
  await left;
  first.open();
  await watching;
  expect(events.slice(-2)).toEqual([
    ['progress', 'done'],
    ['end', 'done'],
  ]);
});

it('stores only keys that the catalog knows, and no secret', async () => {
  const catalog = catalogFor([]);
  const first = gate();
  runner = startRunner(store());
  const definition = define(async () => {
    await first.opened;
    return { result: {} };
  });
  const running = await start(definition, { keyIds: [SECRET] });
  await ended(running, 'running');
  const waiting: string[] = [];
  // Two each have all workers, so that the others lie still.
  for (const role of ['product', 'admin', 'admin', 'product', 'admin', 'product'] as const)
    waiting.push(await start(definition, { keyIds: [SECRET, waiting.length] }, context(role)));
  for (const jobId of waiting.slice(0, 3)) await ended(jobId, 'running');
  const dump: string[] = [];
  await test.storeRedis.config('SET', 'rdbcompression', 'no');
  for (const key of await test.storeRedis.keysBuffer('*')) {
    const { family } = catalog.classify(key);
    expect([key.toString(), family?.app]).toEqual([key.toString(), 'console']);
    expect([family!.type, ...(family!.otherTypes ?? [])]).toContain(await test.storeRedis.type(key));
    dump.push(key.toString('latin1'), (await test.storeRedis.dumpBuffer(key)).toString('latin1'));
    if (key.toString().startsWith('keyward:bull:')) expect(family?.id).toBe('console.bull');
    if (key.toString() === `keyward:bull:jobs:${waiting[0]}`)
      expect(JSON.parse((await test.storeRedis.hget(key, 'data'))!)).toEqual({ jobId: waiting[0] });
  }
  expect(dump.join('\n')).not.toContain('s3cret');
  first.open();
  for (const jobId of [running, ...waiting]) await ended(jobId, 'done');
});
