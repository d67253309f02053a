import { catalogOf } from '@/lib/command/context';
import { ScanBudget } from '@/lib/redis/budget';
import { scanKeys } from '@/lib/redis/scan';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { quickest } from '@/scripts/testing/cost';
import { takeCensus } from './census';

const KEYS = 200_000;
const BATCH_SIZE = 10_000;

/** Three applications in one Redis: one key in four is a bare one, which only its fields can tell. */
const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < KEYS; from += BATCH_SIZE)
    await redis.eval(
      `for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + tonumber(ARGV[2]) - 1 do
         local kind = i % 8
         if kind < 4 then redis.call('SET', 'author:id:' .. i, '{"id":' .. i .. '}', 'EX', 3000)
         elseif kind < 6 then redis.call('ZADD', 'user_like_' .. i, 1, '27')
         elseif kind == 6 then redis.call('HSET', i, 'ID', i, 'Username', 'toni', 'Passwd', '123456')
         else redis.call('SET', 'toni' .. i, 'x') end
       end`,
      0,
      from,
      BATCH_SIZE,
    );
};

/** What the count read before it read types and settled bare keys: a TTL of each key that its name classifies. */
const namesAndTtls = async ({ handle }: TestContext): Promise<void> => {
  const catalog = catalogOf(handle);
  for await (const { keys } of scanKeys(handle)) {
    const known = keys.filter((key) => catalog.locate(key).family !== null);
    await handle.background.readMany(known.map((key) => ['PTTL', key] as const));
  }
};

const expectTruth = async ({ handle }: TestContext): Promise<void> => {
  const { census } = await takeCensus(handle, new AbortController().signal);
  const { 'minidouyin.user': users, 'minidouyin.user-like': likes } = census.families;
  const counted = JSON.stringify([users?.types, likes?.types, census.unclassified]);
  const wanted = JSON.stringify([{ hash: KEYS / 8 }, { zset: KEYS / 4 }, KEYS / 8]);
  if (counted !== wanted) throw new Error(`The count says ${counted} and not ${wanted}.`);
};

/** One count of 200 000 keys, with the types stored and bare keys settled, against names and TTLs alone. */
export const run = async (): Promise<BenchRow> => {
  const test = await testContext({ apps: ['discours', 'minidouyin'] });
  try {
    test.handle.budget = new ScanBudget({ ...test.handle.budget.limits, pauseMs: 0 });
    await fill(test);
    await expectTruth(test);
    const [here, before] = await quickest(test.redis, 3, [
      () => takeCensus(test.handle, new AbortController().signal),
      () => namesAndTtls(test),
    ]);
    return {
      name: `census: ${KEYS / 1000} 000 keys, types and bare keys by their fields`,
      ms: here!.ms,
      baselineName: 'names and TTLs alone',
      baselineMs: before!.ms,
      ratio: before!.ms / here!.ms,
      note: `processor, server + own: ${Math.round(here!.server)} + ${Math.round(here!.own)} ms; before ${Math.round(before!.server)} + ${Math.round(before!.own)} ms`,
    };
  } finally {
    await test.close();
  }
};
