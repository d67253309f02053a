import { takeCensus } from '@/lib/sampler/census';
import { writeNameIndexes } from '@/lib/values/name-index';
import { forgetNames } from '@/lib/values/named-keys';
import { variableNames } from '@/lib/values/variable-names';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { listFlags } from './reads';

const KEYS = 204_000;
const FLAGS = 40;
const BATCH_SIZE = 17_000;
const RUNS = 5;
const MAX_FIRST_MS = 300;

const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < KEYS - FLAGS; from += BATCH_SIZE)
    await redis.eval(
      `for i = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do redis.call('SET', 'author:id:' .. i, '{}') end`,
      0,
      from,
      Math.min(from + BATCH_SIZE, KEYS - FLAGS),
    );
  for (let i = 0; i < FLAGS; i++) await redis.set(`env_vars:FEATURE_${i}`, 'true');
};

/** Clears this process's name cache, after a running scan has ended. */
const clearNames = async ({ ctx, handle }: TestContext): Promise<void> => {
  await variableNames(ctx);
  forgetNames(handle);
};

/** Longest time of several first lists, ms, with the default budget of a connection. */
const firstLists = async (test: TestContext): Promise<number> => {
  let longest = 0;
  for (let run = 0; run < RUNS; run++) {
    await clearNames(test);
    const started = performance.now();
    const { items, complete } = await listFlags(test.ctx);
    longest = Math.max(longest, performance.now() - started);
    if (items.length !== FLAGS || complete) throw new Error(`The first list has ${items.length} flags.`);
  }
  await clearNames(test);
  return longest;
};

const fullScan = async (test: TestContext): Promise<number> => {
  const started = performance.now();
  await variableNames(test.ctx, { fresh: true });
  return performance.now() - started;
};

/** The first list of flags in a large keyspace, from the name index, against a scan of all keys. */
export const run = async (): Promise<BenchRow> => {
  const test = await testContext({ apps: ['discours', 'hawk'] });
  try {
    await fill(test);
    const { names } = await takeCensus(test.handle, new AbortController().signal);
    await writeNameIndexes(test.ctx.store, 'main', names);
    const baselineMs = await fullScan(test);
    const ms = await firstLists(test);
    return {
      name: `flags: the first list in ${KEYS / 1000} 000 keys, the longest of ${RUNS}`,
      ms,
      baselineName: 'a scan of the whole keyspace',
      baselineMs,
      ratio: baselineMs / ms,
      limit: `≤ ${MAX_FIRST_MS} ms`,
      held: ms <= MAX_FIRST_MS,
    };
  } finally {
    await test.close();
  }
};
