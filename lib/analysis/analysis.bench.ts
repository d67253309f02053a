import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogOf } from '@/lib/command/context';
import { ScanBudget } from '@/lib/redis/budget';
import { joinWalk } from '@/lib/walk/shared-walk';
import { benchKeys } from '@/scripts/testing/bench-keys';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  keepApart,
  p99sBeside,
  processOf,
  quantile,
  riseRow,
  startLoad,
} from '@/scripts/testing/steady-load';
import { AnalysisCollector } from './collector';
import { reportOf } from './report';

const KEYS = benchKeys(1_000_000);
const VALUE_BYTES = 400;
const BATCH = 10_000;
const PIPELINE = 1000;
/** By turns, and the medians are compared: what else a machine does slows down one run and not all. */
const ROUNDS = 3;
const ALONE_MS = 8000;
const MIN_TIMES_MEMKEYS = 4;
const MIN_TIMES_PIPELINES = 2.2;
const MIN_PER_SECOND = 50_000;

const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < KEYS; from += BATCH)
    await redis.eval(
      `local value = string.rep('x', tonumber(ARGV[3]))
       for i = ARGV[1], ARGV[2] do
         if i % 2 == 0 then redis.call('SET', 'author:id:' .. i, value, 'EX', 90000)
         else redis.call('SET', 'author:id:' .. i, value) end
       end`,
      0,
      from + 1,
      Math.min(from + BATCH, KEYS),
      VALUE_BYTES,
    );
};

const hitsOf = async ({ redis }: TestContext): Promise<number> =>
  Number(/keyspace_hits:(\d+)/.exec(await redis.info('stats'))![1]);

/** The whole analysis: all that it reads and counts, and its report. ms and the server's part of it. */
const analyse = async (test: TestContext) => {
  const { handle } = test;
  const startedAt = performance.now();
  let counted: AnalysisCollector | undefined;
  const walk = await joinWalk(handle, {
    part: 'analysis',
    signal: new AbortController().signal,
    begin: () => {
      counted = new AnalysisCollector(catalogOf(handle), { exact: false });
      return counted;
    },
  });
  const ended = { id: randomUUID(), at: Date.now(), complete: true, share: 1, scheduled: false };
  const report = await reportOf(test.ctx, counted!, { ...ended, walk, reasons: [] });
  const ms = performance.now() - startedAt;
  const { keys, withoutTtl, memoryBytes, byEncoding, reason } = report;
  const counts = [keys, byEncoding[0]?.keys, (withoutTtl ?? 0) * 2];
  if (counts.some((count) => count !== KEYS) || memoryBytes! < KEYS * VALUE_BYTES)
    throw new Error(`It counted ${counts} keys and ${memoryBytes} bytes: ${reason}`);
  return { ms, serverMs: walk.serverMs, calls: walk.calls };
};

/** Fails where one hit of the server is not known to be the console's own: hit rates would count it. */
const analyseUnnoticed = async (test: TestContext) => {
  const { own } = test.handle;
  const [hits, ours] = [await hitsOf(test), own.hits];
  const analysed = await analyse(test);
  const foreign = (await hitsOf(test)) - hits - (own.hits - ours);
  if (foreign !== 0) throw new Error(`The application's hits differ by ${foreign}.`);
  return analysed;
};

/** SCAN, and for each page TYPE, PTTL and MEMORY USAGE in a pipeline; ms. */
const pipelined = async (test: TestContext): Promise<number> => {
  const redis = test.redis.duplicate();
  const startedAt = performance.now();
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scanBuffer(cursor, 'COUNT', PIPELINE);
      const pipeline = redis.pipeline();
      for (const key of keys) pipeline.type(key).pttl(key).memory('USAGE', key);
      await pipeline.exec();
      cursor = next.toString();
    } while (cursor !== '0');
    return performance.now() - startedAt;
  } finally {
    redis.disconnect();
  }
};

/** On the processor of the console; ms. */
const memkeys = async (url: string): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', '1', 'redis-cli', '-u', url, '--memkeys'], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`redis-cli --memkeys ended with ${code}.`);
  return performance.now() - startedAt;
};

const benchSpeed = async (test: TestContext): Promise<BenchRow[]> => {
  const { budget } = test.handle;
  test.handle.budget = new ScanBudget({ ...budget.limits, pauseMs: 0 });
  const [here, cli, client]: number[][] = [[], [], []];
  const notes: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { ms, serverMs, calls } = await analyseUnnoticed(test);
    here!.push(ms);
    notes.push(`${Math.round(serverMs)} ms in ${calls} calls`);
    cli!.push(await memkeys(test.handle.config.url!));
    client!.push(await pipelined(test));
  }
  test.handle.budget = budget;
  const ms = quantile(here!, 0.5);
  const row = (baselineName: string, baseline: readonly number[], least: number): BenchRow => {
    const baselineMs = quantile(baseline, 0.5);
    const ratio = baselineMs / ms;
    return {
      name: `analysis of ${KEYS} keys, unthrottled`,
      ms,
      baselineName,
      baselineMs,
      ratio,
      limit: `≥ ${least} ×`,
      held: ratio >= least,
      note: `server ${notes.join(', ')}`,
    };
  };
  return [
    row('redis-cli --memkeys', cli!, MIN_TIMES_MEMKEYS),
    row('ioredis SCAN, pipelined TYPE, PTTL, MEMORY USAGE', client!, MIN_TIMES_PIPELINES),
  ];
};

/** Under the default budget, beside an application's reads. */
const benchGentle = async (test: TestContext): Promise<BenchRow[]> => {
  const load = await startLoad(test.handle.config.url!, 5000, KEYS);
  const [rates, alone, beside]: number[][] = [[], [], []];
  try {
    keepApart([await processOf(test.redis), load.pid], [process.pid, await processOf(test.storeRedis)]);
    for (let round = 0; round < ROUNDS; round++) {
      alone!.push(...(await p99sBeside(load, () => sleep(ALONE_MS))));
      const work = async () => rates!.push((KEYS / (await analyse(test)).ms) * 1000);
      beside!.push(...(await p99sBeside(load, work)));
    }
  } finally {
    load.stop();
  }
  const perSecond = quantile(rates!, 0.5);
  return [
    {
      name: 'analysis, keys under the default budget beside 5 000 GET/s',
      perSecond,
      limit: `≥ ${MIN_PER_SECOND}/s`,
      held: perSecond >= MIN_PER_SECOND,
    },
    riseRow('5 000 GET/s', alone!, beside!),
  ];
};

/** The analysis of a million keys, against redis-cli and ioredis, and beside an application. */
export const run = async (): Promise<BenchRow[]> => {
  if (spawnSync('redis-cli', ['--version']).status !== 0) throw new Error('This needs redis-cli.');
  const test = await testContext({ apps: ['discours'] });
  try {
    await fill(test);
    keepApart([await processOf(test.redis)], [process.pid, await processOf(test.storeRedis)]);
    return [...(await benchSpeed(test)), ...(await benchGentle(test))];
  } finally {
    await test.close();
  }
};
