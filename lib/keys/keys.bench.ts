import { setTimeout as sleep } from 'node:timers/promises';
import { keyIdOf } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { type BenchRow, within } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { quickest, serverMemoryOf } from '@/scripts/testing/cost';
import { keepApart, type Load, processOf, quantile, startLoad } from '@/scripts/testing/steady-load';
import { WITH_DEBUG } from '@/scripts/testing/this-redis';
import { getKey } from './get';
import { groupKeys } from './groups';
import { listKeys } from './list';
import { keyContracts } from './schema';

const KEYS = 1_000_000;
const MEMBERS = 5_000_000;
const BATCH_SIZE = 5000;
const STRING_BYTES = 100 * 2 ** 20;
const MIB = 2 ** 20;
const MAX_PAGE_MS = 300;
const MAX_MEMORY_MIB = 50;
const MAX_ADDED_MS = 1;
const READS_PER_SECOND = 5000;
/** Pairs of windows without and with openings. */
const PAIRS = 5;
const WINDOW_MS = 3000;
/** Four openings a second, faster than a user opens keys. */
const BETWEEN_OPENINGS_MS = 250;

const page = (test: TestContext, raw: object) => listKeys(test.ctx, parseInput(keyContracts.list, raw));

const open = (test: TestContext, key: string) => {
  const keyId = keyIdOf(test.ctx, Buffer.from(key));
  return getKey(test.ctx, parseInput(keyContracts.get, { keyId }));
};

const benchList = async (test: TestContext): Promise<BenchRow[]> => {
  const cases: [string, () => Promise<unknown>][] = [
    ['everything', () => page(test, {})],
    ['a family of all keys', () => page(test, { family: 'discours.author-id' })],
    ['a family of one key', () => page(test, { family: 'discours.topic-slug' })],
    ['a pattern that matches nothing', () => page(test, { match: '*needle*' })],
    ['a type that no key has', () => page(test, { type: 'stream' })],
    ['groups of a family', () => groupKeys(test.ctx, { family: 'discours.author-id', limit: 200 })],
  ];
  const rows: BenchRow[] = [];
  for (const [name, work] of cases) {
    const took: number[] = [];
    for (let i = 0; i < 7; i++) {
      const started = performance.now();
      await work();
      took.push(performance.now() - started);
    }
    const note = `median ${Math.round(quantile(took, 0.5))} ms`;
    rows.push(within(`first page of ${name}, slowest of 7`, Math.max(...took), MAX_PAGE_MS, note));
  }
  return rows;
};

const fillLarge = async ({ redis }: TestContext): Promise<void> => {
  await redis.setrange('large-string', STRING_BYTES - 1, 'x');
  for (let from = 0; from < MEMBERS; from += 20 * BATCH_SIZE) {
    const pipeline = redis.pipeline();
    for (let at = from; at < from + 20 * BATCH_SIZE; at += BATCH_SIZE)
      pipeline.sadd('large-set', ...Array.from({ length: BATCH_SIZE }, (_, i) => `member-${at + i}`));
    await pipeline.exec();
  }
};

/** Latencies of the load during one window, in which a key may be opened again and again. */
const windowOf = async (load: Load, work: (() => Promise<unknown>) | null): Promise<number> => {
  await load.read();
  const until = performance.now() + WINDOW_MS;
  while (performance.now() < until) {
    await work?.();
    await sleep(BETWEEN_OPENINGS_MS);
  }
  return (await load.read()).p99;
};

/** The longest time that one call of the work kept the server from others, ms. */
const longestCall = async ({ redis }: TestContext, work: () => Promise<unknown>): Promise<number> => {
  await redis.config('SET', 'slowlog-log-slower-than', '0', 'slowlog-max-len', '10000');
  await redis.call('SLOWLOG', 'RESET');
  for (let i = 0; i < 20; i++) await work();
  const calls = (await redis.call('SLOWLOG', 'GET', '10000')) as [number, number, number][];
  await redis.config('SET', 'slowlog-log-slower-than', '-1');
  return Math.max(...calls.map(([, , micros]) => micros)) / 1000;
};

const benchOpen = async (test: TestContext, load: Load, key: string): Promise<BenchRow[]> => {
  const work = () => open(test, key);
  const [cost] = await quickest(test.redis, 5, [work]);
  const grown = (await serverMemoryOf(test.redis, work)) / MIB;
  const longest = await longestCall(test, work);
  const pairs: [number, number][] = [];
  for (let i = 0; i < PAIRS; i++) pairs.push([await windowOf(load, null), await windowOf(load, work)]);
  const added = quantile(
    pairs.map(([without, during]) => during - without),
    0.5,
  );
  const [without, during] = [0, 1].map((i) =>
    quantile(
      pairs.map((pair) => pair[i]!),
      0.5,
    ).toFixed(2),
  );
  return [
    { name: `opening ${key}`, ms: cost!.ms, note: `server ${cost!.server.toFixed(1)} ms` },
    {
      name: `memory of the server for ${key}`,
      limit: `≤ ${MAX_MEMORY_MIB} MiB`,
      held: grown <= MAX_MEMORY_MIB,
      note: `${grown.toFixed(1)} MiB`,
    },
    {
      // MEMORY USAGE of a set whose table is being resized goes over the part that is empty already.
      name: `longest call of 20 openings of ${key}`,
      ms: longest,
    },
    within(
      `added to the p99 of ${READS_PER_SECOND} reads/s by ${key}`,
      added,
      MAX_ADDED_MS,
      `medians of ${PAIRS} windows: ${without} ms without, ${during} ms with`,
    ),
  ];
};

/** A million keys, a string of 100 MB and a set of five million members on a real server, with the default budget. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'], redisArgs: WITH_DEBUG });
  try {
    await test.redis.call('DEBUG', 'POPULATE', KEYS, 'author:id', 20);
    await test.redis.set('topic:slug:only', 'x');
    await page(test, {});
    const rows = await benchList(test);
    await fillLarge(test);
    const load = await startLoad(test.handle.config.url!, READS_PER_SECOND, KEYS);
    keepApart([load.pid, await processOf(test.redis)], [process.pid]);
    try {
      return [
        ...rows,
        ...(await benchOpen(test, load, 'large-string')),
        ...(await benchOpen(test, load, 'large-set')),
      ];
    } finally {
      load.stop();
    }
  } finally {
    await test.close();
  }
};
