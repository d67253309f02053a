import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { appendIntent } from '@/lib/audit/log';
import { findEntry } from '@/lib/audit/reads';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { storeBehindSentinels } from '@/scripts/testing/store-behind-sentinels';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { type JobDefinition, registerJob } from './define';
import { enqueue } from './enqueue';
import { closeQueue } from './queue';
import { reconcileJobs } from './reconcile';
import { readRecord } from './record';
import { type Runner, startRunner } from './runner';

let test: TestContext;
let watched: Sentinels;
let runner: Runner;
let users: UserOfEachRole;
let go = () => {};
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  watched = await startSentinels({ replicas: 2 });
  storeBehindSentinels(watched);
  users = await userOfEachRole();
  runner = startRunner(store());
});
afterAll(async () => {
  await runner.close();
  await closeQueue();
  await test.close();
  await watched.stop();
});

const definition: JobDefinition = {
  action: 'test.work',
  permission: 'caches:invalidate',
  payload: z.json(),
  run: async (ctx) => {
    await ctx.progress(1, 10, 1);
    const opened = new Promise<void>((resolve) => {
      go = resolve;
    });
    await opened;
    for (let done = 2; done <= 10; done++) await ctx.progress(done, 10, 0);
    return { result: { changed: 10 } };
  },
};
registerJob(definition);

const start = async (data: string): Promise<{ jobId: string; auditId: string }> => {
  const ctx = { ...test.as({ actor: users.product, auditId: newId() }), store: store() };
  const { auditId } = ctx;
  const intent = { id: auditId, actor: ctx.actor, action: definition.action, connection: 'main' };
  await appendIntent(store(), { ...intent, target: null, reason: null, input: null, requestId: 'r' });
  return { auditId, jobId: await enqueue(ctx, definition, { data, target: 'some work', total: 10 }) };
};

const stateOf = async (jobId: string) => {
  const record = await readRecord(store(), jobId).catch(() => null);
  return record && { state: record.state, done: record.done, error: record.error };
};
const running = (jobId: string) =>
  expect.poll(() => stateOf(jobId), { timeout: 8000 }).toMatchObject({ state: 'running', done: 1 });
const done = (jobId: string) =>
  expect
    .poll(() => stateOf(jobId), { timeout: 10_000 })
    .toMatchObject({ state: 'done', done: 10, error: null });

it.each(['an ordered failover', 'a crash of the primary'])(
  'goes on after %s',
  async (event) => {
    const { jobId, auditId } = await start(event);
    await running(jobId);
    const old = (await watched.primary())!;
    if (event === 'an ordered failover') await watched.failover();
    else old.process.kill('SIGKILL');
    // It saves its progress while there is no primary.
    go();
    await watched.untilPrimaryIsNot(old);
    await done(jobId);
    await expect.poll(async () => (await findEntry(store(), auditId))?.outcome).toBe('succeeded');
    // The old primary comes back as a replica, or another one has to follow the new primary first.
    let next: string | null = null;
    const startNext = async () => {
      next ??= await start(`after ${event}`).then(
        (started) => started.jobId,
        () => null,
      );
      return next;
    };
    await expect.poll(startNext, { timeout: 10_000 }).not.toBeNull();
    await running(next!);
    go();
    await done(next!);
    expect(await reconcileJobs(store())).toBe(0);
  },
  40_000,
);
