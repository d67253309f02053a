import { ScanBudget } from '@/lib/redis/budget';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { quickest, serverMemoryOf } from '@/scripts/testing/cost';
import { setKey } from './members';
import { heaviestFields } from './traffic/pass';
import { mapKey } from './traffic/reads';

type Redis = TestContext['redis'];

/** A measurement as `npm run bench` prints it; `limit` is the figure it must not exceed. */
const FIELDS = 500_000;
const BLACKLISTED = 20_000;
const TOP = 100;
const BATCH_SIZE = 1000;
const MIB = 1024 * 1024;
const MAX_SERVER_MIB = 8;
const MAX_OWN_MIB = 32;

const addressOf = (i: number): string => `${11 + (i % 199)}.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

/** Few callers send much and most send little, in a fixed order so that runs are comparable. */
const requestsOf = (i: number): number => Math.floor(3_000_000 / (1 + ((i * 7_919) % FIELDS)));

const fill = async (redis: Redis, map: Buffer, blacklist: Buffer): Promise<void> => {
  for (let from = 0; from < FIELDS; from += BATCH_SIZE) {
    const some = Array.from({ length: BATCH_SIZE }, (_, i) => from + i);
    await redis.hset(map, ...some.flatMap((i) => [addressOf(i), requestsOf(i)]));
    if (from < BLACKLISTED) await redis.sadd(blacklist, ...some.map(addressOf));
  }
};

/** The baseline: one HSCAN pass that only discards its replies. */
const plainPass = async (redis: Redis, map: Buffer): Promise<void> => {
  let cursor = '0';
  do {
    [cursor] = await redis.hscan(map, cursor, 'COUNT', 1000);
  } while (cursor !== '0');
};

/** Checks that a fast variant still finds everything. */
const expectTop = async ({ handle, redis }: TestContext, map: Buffer): Promise<void> => {
  const { top, total, fields, unreadable } = await heaviestFields(handle, map, { most: TOP });
  const requests = Array.from({ length: FIELDS }, (_, i) => requestsOf(i)).sort((a, b) => b - a);
  const wanted = requests.slice(0, TOP).join();
  const found = top.map(({ digits }) => digits).join();
  const sum = requests.reduce((a, b) => a + b, 0);
  if (found !== wanted || Number(total) !== sum || fields !== FIELDS || unreadable !== 0)
    throw new Error(`The heaviest are not the heaviest: ${fields} fields, ${total} of ${sum} requests.`);
  await redis.ping();
};

const benchPass = async (test: TestContext, map: Buffer): Promise<BenchRow> => {
  const [here, plain] = await quickest(test.redis, 5, [
    () => heaviestFields(test.handle, map, { most: TOP }),
    () => plainPass(test.redis, map),
  ]);
  const ratio = plain!.ms / here!.ms;
  const [ours, theirs] = [here!, plain!].map(
    ({ server, own }) => `${Math.round(server)} + ${Math.round(own)}`,
  );
  return {
    name: `top ${TOP} of ${FIELDS} IPs, unthrottled`,
    ms: here!.ms,
    baselineName: 'ioredis HSCAN COUNT 1000, one pass',
    baselineMs: plain!.ms,
    ratio,
    limit: '≥ 1 ×',
    held: ratio >= 1,
    note: `processor of server + console: ${ours} against ${theirs} ms`,
  };
};

const benchMemory = async (test: TestContext, map: Buffer): Promise<BenchRow> => {
  let own = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => {
    own = Math.max(own, process.memoryUsage().rss - before);
  }, 5);
  const grown = await serverMemoryOf(test.redis, () => heaviestFields(test.handle, map, { most: TOP }));
  clearInterval(watch);
  return {
    name: 'its memory beyond what there was',
    limit: `server ≤ ${MAX_SERVER_MIB} MiB, console ≤ ${MAX_OWN_MIB} MiB`,
    held: grown <= MAX_SERVER_MIB * MIB && own <= MAX_OWN_MIB * MIB,
    note: `${(grown / MIB).toFixed(1)} MiB on the server, ${(own / MIB).toFixed(1)} MiB in the console`,
  };
};

const benchGently = async (test: TestContext, map: Buffer): Promise<BenchRow> => {
  const budget = new ScanBudget({ chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 });
  const handle = { ...test.handle, budget };
  const [here] = await quickest(test.redis, 2, [() => heaviestFields(handle, map, { most: TOP })]);
  const note = `processor of server + console: ${Math.round(here!.server)} + ${Math.round(here!.own)} ms`;
  return { name: `top ${TOP} of ${FIELDS} IPs, gentle budget`, ms: here!.ms, note };
};

/** Large maps on a real server; "unthrottled" is no pause and 1000 fields per chunk. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({
    apps: ['hawk'],
    scan: { chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 10_000 },
  });
  try {
    const map = mapKey(test.ctx, 'all');
    await fill(test.redis, map, setKey(test.ctx, 'ban-list'));
    await expectTop(test, map);
    const pass = await benchPass(test, map);
    return [pass, await benchMemory(test, map), await benchGently(test, map)];
  } finally {
    await test.close();
  }
};
