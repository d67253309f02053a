import { spawn, spawnSync } from 'node:child_process';
import { ScanBudget } from '@/lib/redis/budget';
import { benchKeys } from '@/scripts/testing/bench-keys';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { keepApart, processOf, startLoad } from '@/scripts/testing/steady-load';
import type { Collector, WalkedKeys } from './collector';
import { joinWalk } from './shared-walk';

const KEYS = benchKeys(1_000_000);
const VALUE_BYTES = 400;
const READS_PER_SECOND = 5000;
const QUIET_MS = 4000;
const BATCH = 10_000;
const PIPELINE = 1000;
const RSS_EVERY = 50;

/** What the whole analysis reads, without its counts. */
class Sum implements Collector {
  readonly wants = { memory: 'all' } as const;
  keys = 0;
  bytes = 0;
  withTtl = 0;

  add({ keys, memory, ttls }: WalkedKeys): void {
    this.keys += keys.length;
    for (const bytes of memory) this.bytes += bytes ?? 0;
    for (const ttl of ttls) this.withTtl += ttl > 0 ? 1 : 0;
  }
}

const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < KEYS; from += BATCH)
    await redis.eval(
      `local value = string.rep('x', tonumber(ARGV[3]))
       for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do
         if i % 2 == 0 then redis.call('SET', 'author:id:' .. i, value, 'EX', 90000)
         else redis.call('SET', 'author:id:' .. i, value) end
       end`,
      0,
      ...[from, BATCH, VALUE_BYTES],
    );
};

const walk = async ({ handle }: TestContext) => {
  let sum = new Sum();
  const begin = () => {
    sum = new Sum();
    return sum;
  };
  const startedAt = performance.now();
  let [peak, chunks] = [0, 0];
  const cost = await joinWalk(handle, {
    ...{ part: 'analysis', begin, signal: new AbortController().signal },
    onShare: async () => {
      // Reading it takes a millisecond and more.
      if (chunks % RSS_EVERY === 0) peak = Math.max(peak, process.memoryUsage.rss());
      chunks += 1;
    },
  });
  const ms = performance.now() - startedAt;
  if (sum.keys !== KEYS || cost.keys !== KEYS || sum.withTtl !== KEYS / 2 || sum.bytes < KEYS * VALUE_BYTES)
    throw new Error(`The walk found ${sum.keys} keys, ${sum.withTtl} with TTL, ${sum.bytes} bytes.`);
  return { ms, cost, peak };
};

/** SCAN, and for each page TYPE, PTTL and MEMORY USAGE in a pipeline. */
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

const memkeys = async (url: string): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', '1', 'redis-cli', '-u', url, '--memkeys'], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`redis-cli --memkeys ended with ${code}.`);
  return performance.now() - startedAt;
};

const hitsOf = async ({ redis }: TestContext): Promise<number> =>
  Number(/keyspace_hits:(\d+)/.exec(await redis.info('stats'))![1]);

/** Under the default budget, beside an application's reads. */
const beside = async (test: TestContext) => {
  const load = await startLoad(test.handle.config.url!, READS_PER_SECOND, KEYS);
  try {
    keepApart([await processOf(test.redis), load.pid], [process.pid, await processOf(test.storeRedis)]);
    await load.read();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const quiet = await load.read();
    const [hits, own] = [await hitsOf(test), test.handle.own.hits];
    const { ms } = await walk(test);
    const busy = await load.read();
    const foreign = (await hitsOf(test)) - hits - (test.handle.own.hits - own);
    // Reads in flight at both ends.
    if (Math.abs(foreign - busy.n) > READS_PER_SECOND / 10)
      throw new Error(`${foreign} hits are not the console's, and the application made ${busy.n} reads.`);
    return { ms, addedMs: busy.p99 - quiet.p99, quiet: quiet.p99 };
  } finally {
    load.stop();
  }
};

/** A walk over a million keys with type, TTL and memory, against redis-cli and ioredis. */
export const run = async (): Promise<BenchRow> => {
  if (spawnSync('redis-cli', ['--version']).status !== 0) throw new Error('This needs redis-cli.');
  const test = await testContext({ apps: ['discours'] });
  try {
    await fill(test);
    keepApart([await processOf(test.redis)], [process.pid, await processOf(test.storeRedis)]);
    const url = test.handle.config.url!;
    const { budget } = test.handle;
    const before = process.memoryUsage.rss();
    test.handle.budget = new ScanBudget({ ...budget.limits, pauseMs: 0 });
    const free = await walk(test);
    const cli = await memkeys(url);
    const client = await pipelined(test);
    test.handle.budget = budget;
    const paced = await beside(test);
    const rate = Math.round((KEYS / paced.ms) * 1000);
    const grown = Math.round((free.peak - before) / 2 ** 20);
    return {
      name: `walk: ${KEYS} keys with type, TTL and memory`,
      ms: free.ms,
      baselineName: 'redis-cli --memkeys',
      baselineMs: cli,
      ratio: cli / free.ms,
      note: [
        `${(client / free.ms).toFixed(1)} × ioredis pipelines (${Math.round(client)} ms)`,
        `server ${Math.round(free.cost.serverMs)} ms in ${free.cost.calls} calls, process +${grown} MB`,
        `default budget: ${rate} keys/s, p99 ${paced.quiet.toFixed(2)} + ${paced.addedMs.toFixed(2)} ms`,
      ].join('; '),
    };
  } finally {
    await test.close();
  }
};
