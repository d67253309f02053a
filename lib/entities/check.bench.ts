import { availableParallelism, loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { keepApart, type Load, processOf, quantile, startLoad } from '@/scripts/testing/steady-load';
import { checkJob } from './check-job';
import { checkResult } from './schema';

const USERS = 100_000;
/** Each user has a set of both. */
const RELATION_KEYS = 2 * USERS;
const EACH = 2;
const AUTHORS = 50_000;
const BATCH = 10_000;
const GETS_PER_SECOND = 5000;
const MAX_RISE_MS = 0.5;
const MAX_HEAP_GROWTH_MB = 32;

/** The check is held and let go on by turns. */
const TURN_SECONDS = 4;
const SLICE_MS = 1000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every hundredth user is gone. */
const isStored = (id: number): boolean => id % 100 !== 0;
const neighbours = (id: number, direction: 1 | -1): number[] =>
  Array.from({ length: EACH }, (_, i) => (id + direction * (i + 1) + USERS) % USERS);

/** Users in a ring, each following the next three. */
const followsOf = (id: number): number[] => neighbours(id, 1);

/** Of some the one before is missing; of others all are not stored, or are a text. */
const followersOf = (id: number): number[] | 'none' | 'text' => {
  if (id % 1000 === 500) return 'none';
  if (id % 1000 === 501) return 'text';
  const before = neighbours(id, -1);
  return id % 50 === 7 ? before.slice(1) : before;
};

const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < USERS; from += BATCH) {
    const pipeline = redis.pipeline();
    for (let id = from; id < from + BATCH; id++) {
      const counts = { FollowCount: EACH, FollowerCount: EACH };
      if (isStored(id)) pipeline.hset(`${id}`, { ID: id, Username: `user${id}`, Passwd: 'x', ...counts });
      if (id < AUTHORS) pipeline.set(`author:id:${id + 1}`, `{"id":${id + 1},"name":"Anna"}`);
      pipeline.sadd(`follows_${id}`, ...followsOf(id));
      const followers = followersOf(id);
      if (followers === 'text') pipeline.set(`followers_${id}`, 'text');
      else if (followers !== 'none') pipeline.sadd(`followers_${id}`, ...followers);
    }
    await pipeline.exec();
  }
};

/** What a check must count, by what was written. */
const expected = () => {
  const counts = {
    checked: 0,
    references: 0,
    dangling: 0,
    oneSided: 0,
    oneSidedNotStored: 0,
    partial: 0,
    wrongType: 0,
  };
  const countSet = (
    id: number,
    set: readonly number[],
    other: (id: number) => number[] | 'none' | 'text',
  ) => {
    counts.checked += 1;
    counts.references += set.length;
    if (isStored(id) && set.length < EACH) counts.partial += 1;
    for (const member of set) {
      const back = other(member);
      if (!isStored(member)) counts.dangling += 1;
      else if (back === 'none') counts.oneSidedNotStored += 1;
      if (isStored(member) && (back === 'none' || (back !== 'text' && !back.includes(id))))
        counts.oneSided += 1;
    }
  };
  for (let id = 0; id < USERS; id++) {
    countSet(id, followsOf(id), followersOf);
    const followers = followersOf(id);
    if (followers === 'text') {
      counts.checked += 1;
      counts.wrongType += 1;
    } else if (followers !== 'none') countSet(id, followers, followsOf);
  }
  return counts;
};

/** Holds a check where it stores its progress. */
const makeGate = () => {
  let open = (): void => undefined;
  let opened = Promise.resolve();
  let held = (): void => undefined;
  return {
    pass: (): Promise<void> => {
      held();
      return opened;
    },
    open: () => open(),
    /** Resolves when the check waits. */
    close: () =>
      new Promise<void>((resolve) => {
        held = resolve;
        opened = new Promise((release) => {
          open = release;
        });
      }),
  };
};

/** Checks all users; throws where a count is not what was written. */
const check = async ({ ctx }: TestContext, progress: () => Promise<void>): Promise<void> => {
  const job = {
    jobId: 'bench',
    isFaster: () => false,
    ...UNFENCED,
    signal: new AbortController().signal,
    progress,
  };
  const { result } = await checkJob.run({ ...ctx, ...job }, { family: null, kind: 'minidouyin.user' });
  const { families, samples, complete, ...counts } = checkResult.parse(result);
  const [counted, wanted] = [JSON.stringify(counts), JSON.stringify(expected())];
  if (counted !== wanted) throw new Error(`The check counted ${counted} and not ${wanted}.`);
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** MB in use by this process after a collection. */
const heapMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

const usedBytes = async ({ redis }: TestContext): Promise<number> =>
  Number(/used_memory_dataset:(\d+)/.exec(await redis.info('memory'))![1]);

/** p99 of each second of a turn. */
const turn = async ({ read }: Load): Promise<number[]> => {
  const p99s: number[] = [];
  await read();
  for (let second = 0; second < TURN_SECONDS; second++) {
    await pause(SLICE_MS);
    p99s.push((await read()).p99);
  }
  return p99s;
};

const spread = (p99s: readonly number[]): string =>
  `${quantile(p99s, 0.1).toFixed(2)}–${quantile(p99s, 0.9).toFixed(2)} ms in ${p99s.length} s`;

/** By turns, and medians are compared: what else a machine does affects both. */
const measure = async (test: TestContext): Promise<BenchRow[]> => {
  const load = await startLoad(test.handle.config.url!, GETS_PER_SECOND, AUTHORS);
  keepApart([load.pid, await processOf(test.redis)], [process.pid, await processOf(test.storeRedis)]);
  const gate = makeGate();
  const before = { heap: heapMb(), bytes: await usedBytes(test), keys: await test.redis.dbsize() };
  const [alone, during, heaps]: [number[], number[], number[]] = [[], [], []];
  let [isOver, ms, since] = [false, 0, performance.now()];
  const work = check(test, gate.pass).finally(() => {
    isOver = true;
    ms += performance.now() - since;
  });
  // Its failure is thrown when it is awaited.
  work.catch(() => undefined);
  try {
    while (!isOver) {
      const p99s = await turn(load);
      if (isOver) break;
      during.push(...p99s);
      await Promise.race([gate.close(), work]);
      if (isOver) break;
      ms += performance.now() - since;
      heaps.push(heapMb());
      alone.push(...(await turn(load)));
      since = performance.now();
      gate.open();
    }
    await work;
  } finally {
    gate.open();
    load.stop();
  }
  const after = { bytes: await usedBytes(test), keys: await test.redis.dbsize() };
  const rise = quantile(during, 0.5) - quantile(alone, 0.5);
  const growth = Math.max(...heaps) - before.heap;
  const machine = `${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}`;
  return [
    {
      name: `p99 of 5 000 GET/s beside a check of ${RELATION_KEYS / 1000} 000 keys, default budget`,
      ms: quantile(during, 0.5),
      baselineName: 'p99 of 5 000 GET/s alone',
      baselineMs: quantile(alone, 0.5),
      limit: `≤ ${MAX_RISE_MS} ms more`,
      held: rise <= MAX_RISE_MS,
      note: `${rise.toFixed(2)} ms more; beside ${spread(during)}, alone ${spread(alone)}; ${machine}`,
    },
    {
      name: '… its duration, with counts equal to what was written',
      ms,
      note: `${expected().references} references`,
    },
    {
      name: '… and its memory',
      limit: `console ≤ ${MAX_HEAP_GROWTH_MB} MB more, no key more`,
      held: growth <= MAX_HEAP_GROWTH_MB && after.keys === before.keys,
      note: `console ${before.heap.toFixed(1)} MB before, at most ${Math.max(...heaps).toFixed(1)} MB during; data of the server ${((after.bytes - before.bytes) / 2 ** 20).toFixed(2)} MB more`,
    },
  ];
};

/** A check of 200 000 sets of users, with known damage, beside the application's reads. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours', 'minidouyin'] });
  try {
    await fill(test);
    return await measure(test);
  } finally {
    await test.close();
  }
};
