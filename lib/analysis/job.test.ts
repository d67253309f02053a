import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type JobContext, PartialFailure } from '@/lib/jobs/define';
import { storeUnavailable } from '@/lib/redis/failure';
import { type Store, store } from '@/lib/redis/store';
import { joinWalk } from '@/lib/walk/shared-walk';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { problemOf } from '@/scripts/testing/problem-of';
import { analysisJob } from './job';
import { getAnalysis, listAnalyses } from './reads';
import { analysisResult } from './schema';

const KEYS = 1000;

let test: TestContext;
beforeAll(async () => {
  // 200 keys a call.
  const scan = { chunk: 10, pauseMs: 0, maxAddedLatencyMs: 1000 };
  test = await testContext({ apps: ['discours'], scan });
});
beforeEach(async () => {
  await test.empty();
  await test.redis.eval(`for i = 1, ${KEYS} do redis.call('SET', 'author:id:' .. i, 'x') end`, 0);
});
afterAll(() => test.close());

interface Job extends Partial<Pick<JobContext, 'store' | 'progress'>> {
  jobId?: string;
  controller?: AbortController;
  resume?: string;
}

/** An analysis; `ended` is its report, also if it was cancelled after it had counted something. */
const start = ({ resume, controller = new AbortController(), ...change }: Job = {}) => {
  const jobId = randomUUID();
  const job = { jobId, progress: async () => undefined, isFaster: () => false, ...UNFENCED, ...change };
  const ctx: JobContext = { ...test.ctx, ...job, signal: controller.signal };
  const result = analysisJob.run(ctx, { exact: false, resume: resume ?? null });
  const ended = result.catch((error: unknown) => {
    if (error instanceof PartialFailure) return error.outcome;
    throw error;
  });
  return {
    jobId: ctx.jobId,
    cancel: () => controller.abort('cancelled'),
    ended: ended.then(({ result: { id } }) =>
      getAnalysis(test.ctx, { id: analysisResult.shape.id.parse(id) }),
    ),
  };
};

/** Cancels it after its first chunk. */
const startCancelled = (job: Job = {}) => {
  const controller = new AbortController();
  const progress: JobContext['progress'] = async (done) => {
    if (done > 0) controller.abort('cancelled');
  };
  return start({ ...job, controller, progress });
};

/** Takes part in the next walk, and does this with each chunk. */
const beside = (add: (chunk: number) => Promise<void> | void, signal = new AbortController().signal) => {
  let chunks = 0;
  return joinWalk(test.handle, {
    part: 'census',
    signal,
    begin: () => ({
      wants: {},
      add: () => {
        chunks += 1;
        return add(chunks);
      },
    }),
  });
};

it('says how much of the keyspace was read, also where it went on half-way', async () => {
  const first = await startCancelled().ended;
  const second = await startCancelled({ resume: first.id }).ended;
  expect(second.keys).toBeGreaterThan(first.keys + 50);
  for (const { share, keys } of [first, second]) expect(Math.abs(share - keys / KEYS)).toBeLessThan(0.02);
});

/** A walk of others that runs until it is released: whoever asks meanwhile waits for the next. */
const holdWalk = async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let over: Promise<unknown> = released;
  await new Promise<void>((begun) => {
    over = beside(() => {
      begun();
      return released;
    });
  });
  return { release, over };
};

it('can go on where it was cancelled while others still processed a chunk', async () => {
  const held = await holdWalk();
  const job = start();
  // It has asked for its walk then.
  await setImmediate();
  const other = beside(async (chunk) => {
    if (chunk !== 2) return;
    await setImmediate();
    job.cancel();
  });
  held.release();
  const partial = await job.ended;
  await Promise.all([held.over, other]);
  expect(partial).toMatchObject({ complete: false, resumable: true });
  // The chunk that not all had processed is read again.
  expect(partial.keys).toBeGreaterThan(0);
  expect(partial.keys).toBeLessThan(350);
  const whole = await start({ resume: partial.id }).ended;
  expect(whole).toMatchObject({ complete: true, keys: KEYS, walk: { keys: KEYS - partial.keys } });
});

it('leaves no report of nothing where it is cancelled while another walk runs', async () => {
  const earlier = await startCancelled().ended;
  const held = await holdWalk();
  for (const resume of [undefined, earlier.id]) {
    const job = start(resume ? { resume } : {});
    const ended = expect(job.ended).rejects.toBe('cancelled');
    job.cancel();
    await ended;
    expect(await problemOf(getAnalysis(test.ctx, { id: job.jobId }))).toMatchObject({ status: 404 });
  }
  held.release();
  await held.over;
  const { items } = await listAnalyses(test.ctx, { limit: 9 });
  expect(items).toMatchObject([{ id: earlier.id, resumable: true }]);
});

/** The console's store, out for one call as soon as this key is there. */
const outAfter = (key: string): { store: Store; outages: () => number } => {
  let outages = 0;
  const use: Store['use'] = async (work) => {
    if (outages === 0 && (await test.storeRedis.exists(key))) {
      outages += 1;
      throw storeUnavailable(new Error('closed'));
    }
    return store().use(work);
  };
  return { store: Object.assign(Object.create(store()) as Store, { use }), outages: () => outages };
};

it('stays complete where the store is out for a moment after its report', async () => {
  const jobId = randomUUID();
  const out = outAfter(`keyward:analysis:main:${jobId}`);
  const report = await start({ jobId, store: out.store }).ended;
  expect(out.outages()).toBe(1);
  expect(report).toMatchObject({ id: jobId, complete: true, keys: KEYS, reason: null });
});

it('stores a complete count again where the store is out for a moment before its report', async () => {
  let outages = 0;
  const use: Store['use'] = async (work) => {
    const error = storeUnavailable(new Error('closed'));
    const redis = await store().use(async (client) => client);
    const multi = () => {
      outages += 1;
      throw error;
    };
    return outages === 0 ? work(Object.assign(Object.create(redis), { multi })) : store().use(work);
  };
  const broken = Object.assign(Object.create(store()) as Store, { use });
  const report = await start({ store: broken }).ended;
  expect(outages).toBe(1);
  expect(report).toMatchObject({ complete: true, keys: KEYS, reason: null });
});
