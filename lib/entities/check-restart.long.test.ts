import { afterEach, describe, expect, it } from 'vitest';
import { type JobContext, PartialFailure } from '@/lib/jobs/define';
import { type TestContext, type TestContextOptions, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { afterCall, restartBeside, restartDuring, stopServer } from '@/scripts/testing/restart';
import { WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { checkJob } from './check-job';
import { checkResult } from './schema';

const SCAN = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
const SETS = 120;
const LARGE = 700;

let test: TestContext;
afterEach(() => test.close());

/** Users of whom every second is gone, each in sets of three, and one set that is read by pages. */
const fill = async ({ redis }: TestContext): Promise<void> => {
  const pipeline = redis.pipeline();
  for (let id = 0; id < LARGE; id += 2) pipeline.hset(`${id}`, { ID: id, Username: 'a', Passwd: 'b' });
  for (let i = 0; i < SETS; i++) pipeline.sadd(`followers_${i}`, `${3 * i}`, `${3 * i + 1}`, `${3 * i + 2}`);
  // Words beside numbers, so that the set is a table and SSCAN has several pages.
  pipeline.sadd('followers_5000', 'x', ...Array.from({ length: LARGE }, (_, i) => `${i}`));
  await pipeline.exec();
};

const COUNTS = {
  checked: SETS + 1,
  references: 3 * SETS + LARGE + 1,
  dangling: (3 * SETS) / 2 + LARGE / 2 + 1,
  // No follows are stored.
  oneSided: (3 * SETS) / 2 + LARGE / 2,
  complete: true,
};

const start = async (options: TestContextOptions = {}): Promise<void> => {
  test = await testContext({ apps: ['minidouyin'], scan: SCAN, ...options });
  await fill(test);
};

const run = async (signal = new AbortController().signal) => {
  const shares: number[] = [];
  const progress: JobContext['progress'] = async (done) => {
    shares.push(done);
  };
  const ctx = { ...test.ctx, jobId: 'job', isFaster: () => false, ...UNFENCED, signal, progress };
  const outcome = await checkJob.run(ctx, { family: 'minidouyin.followers', kind: null });
  return { shares, result: checkResult.parse(outcome.result) };
};

describe('a check counts exactly', () => {
  it('what was written, with its progress', async () => {
    await start();
    const { shares, result } = await run();
    expect(result).toMatchObject(COUNTS);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1000);
  });

  it('although the server restarts meanwhile: it begins again', { tags: 'long' }, async () => {
    await start();
    const { restarts } = restartDuring(test, 40);
    const { shares, result } = await run();
    expect(restarts()).toBe(1);
    expect(result).toMatchObject(COUNTS);
    expect(shares.lastIndexOf(0)).toBeGreaterThan(0);
  });

  it('although the server is lost for a moment', { tags: 'long' }, async () => {
    await start();
    const { back } = restartBeside(test, 40);
    const { result } = await run();
    await back();
    expect(result).toMatchObject(COUNTS);
  });

  it.each([
    ['with scripts', []],
    ['with commands only', WITHOUT_SCRIPTS],
  ])('although the server returns keys and members twice, %s', async (_, redisArgs) => {
    await start({ redisArgs });
    const { result } = await withRepeatedElements(test, () => run());
    expect(result).toMatchObject(COUNTS);
  });
});

describe('a check that ends early', () => {
  it('has what it counted before the server was gone', { tags: 'long' }, async () => {
    await start();
    afterCall(
      test,
      (call) => call === 60,
      () => stopServer(test),
    );
    const failure = await run(AbortSignal.timeout(1000)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PartialFailure);
    const { complete, checked, references } = checkResult.parse((failure as PartialFailure).outcome.result);
    expect(complete).toBe(false);
    expect(checked).toBeGreaterThan(0);
    expect(references).toBeLessThan(COUNTS.references);
  });

  it('stops at once when it is cancelled, between two calls', async () => {
    await start();
    const controller = new AbortController();
    let after = 0;
    afterCall(
      test,
      (call) => {
        if (controller.signal.aborted) after += 1;
        return call === 30;
      },
      () => controller.abort('cancelled'),
    );
    const failure = await run(controller.signal).catch((error: unknown) => error);
    const { complete } = checkResult.parse((failure as PartialFailure).outcome.result);
    expect([complete, after <= 1]).toEqual([false, true]);
  });
});
